#include <orbweaver/weak_reference.h>

#include <mutex>

namespace orbweaver {

/// The control block of an object with weak references. It outlives the object. Counts the weak references
/// and the object itself. Thread-safe.
class WeakControlBlock {
 public:
  explicit WeakControlBlock(const CORBA::RefCounted& object) noexcept : object_(&object) {}

  void share() noexcept { weak_count_.fetch_add(1, std::memory_order_relaxed); }
  void drop() noexcept {
    if (weak_count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  bool lock() noexcept {
    // The thread that releases the last strong reference locks the mutex (forget) before it deletes the
    // object, so that the count is valid here.
    const std::lock_guard guard(mutex_);
    return object_ && add_ref_unless_zero();
  }
  bool expired() noexcept {
    const std::lock_guard guard(mutex_);
    return !object_ || object_->count_.load(std::memory_order_relaxed) == 0;
  }
  /// Detaches the object, which is about to be deleted, and releases its count.
  void forget() noexcept {
    {
      const std::lock_guard guard(mutex_);
      object_ = nullptr;
    }
    drop();
  }

  static WeakControlBlock* of(const CORBA::RefCounted& object) {
    WeakControlBlock* cell = object.weak_.load(std::memory_order_acquire);
    if (cell == nullptr) {
      auto* created = new WeakControlBlock(object);
      if (object.weak_.compare_exchange_strong(cell, created, std::memory_order_acq_rel)) {
        cell = created;
      } else {
        delete created;
      }
    }
    cell->share();
    return cell;
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
void share(WeakControlBlock* cell) noexcept { cell->share(); }
void drop(WeakControlBlock* cell) noexcept { cell->drop(); }
bool lock(WeakControlBlock* cell) noexcept { return cell->lock(); }
bool expired(WeakControlBlock* cell) noexcept { return cell->expired(); }
void forget(WeakControlBlock* cell) noexcept { cell->forget(); }

}  // namespace orbweaver
