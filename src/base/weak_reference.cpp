#include <orbweaver/weak_reference.h>

#include <mutex>

namespace orbweaver::detail {

/// The control block of an object with weak references. It outlives the object. Counts the weak references
/// and the object itself. Thread-safe.
class WeakControlBlock {
 public:
  explicit WeakControlBlock(const CORBA::RefCounted& object) noexcept : object_(&object) {}

  void add_weak_ref() noexcept { weak_count_.fetch_add(1, std::memory_order_relaxed); }
  void remove_weak_ref() noexcept {
    if (weak_count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  bool try_add_ref() noexcept {
    // The thread that releases the last strong reference locks the mutex (detach) before it deletes the
    // object, so that the count is valid here.
    const std::lock_guard guard(mutex_);
    return object_ && add_ref_unless_zero();
  }
  bool is_expired() noexcept {
    const std::lock_guard guard(mutex_);
    return !object_ || object_->count_.load(std::memory_order_relaxed) == 0;
  }
  /// Detaches the object, which is about to be deleted, and releases its count.
  void detach() noexcept {
    {
      const std::lock_guard guard(mutex_);
      object_ = nullptr;
    }
    remove_weak_ref();
  }

  static WeakControlBlock* of(const CORBA::RefCounted& object) {
    WeakControlBlock* block = object.weak_.load(std::memory_order_acquire);
    if (block == nullptr) {
      auto* created = new WeakControlBlock(object);
      if (object.weak_.compare_exchange_strong(block, created, std::memory_order_acq_rel)) {
        block = created;
      } else {
        delete created;
      }
    }
    block->add_weak_ref();
    return block;
  }

 private:
  bool add_ref_unless_zero() noexcept {
    std::uint32_t count = object_->count_.load(std::memory_order_relaxed);
    while (count != 0) {
      if (object_->count_.compare_exchange_weak(count, count + 1, std::memory_order_acquire)) return true;
    }
    return false;
  }

  std::mutex mutex_;
  const CORBA::RefCounted* object_;
  std::atomic<std::uint32_t> weak_count_{1};  // the object itself counts as one
};

WeakControlBlock* weak_control_block(const CORBA::RefCounted& object) { return WeakControlBlock::of(object); }
void add_weak_ref(WeakControlBlock* block) noexcept { block->add_weak_ref(); }
void remove_weak_ref(WeakControlBlock* block) noexcept { block->remove_weak_ref(); }
bool try_add_ref(WeakControlBlock* block) noexcept { return block->try_add_ref(); }
bool is_expired(WeakControlBlock* block) noexcept { return block->is_expired(); }
void detach_weak_refs(WeakControlBlock* block) noexcept { block->detach(); }

}  // namespace orbweaver::detail
