#include <orbweaver/weak_reference.h>

#include <mutex>

namespace orbweaver {

class WeakCell {
 public:
  explicit WeakCell(const CORBA::RefCounted& object) noexcept : object_(&object) {}

  void share() noexcept { holders_.fetch_add(1, std::memory_order_relaxed); }
  void drop() noexcept {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  bool lock() noexcept {
    // Whoever drops the last count waits for the mutex before it deletes: until then the count can be looked at.
    const std::lock_guard guard(mutex_);
    return object_ && add_unless_gone();
  }
  bool expired() noexcept {
    const std::lock_guard guard(mutex_);
    return !object_ || object_->count_.load(std::memory_order_relaxed) == 0;
  }
  /// The object is about to be deleted.
  void forget() noexcept {
    {
      const std::lock_guard guard(mutex_);
      object_ = nullptr;
    }
    drop();
  }

  static WeakCell* of(const CORBA::RefCounted& object) {
    WeakCell* cell = object.weak_.load(std::memory_order_acquire);
    if (cell == nullptr) {
      auto* fresh = new WeakCell(object);
      if (object.weak_.compare_exchange_strong(cell, fresh, std::memory_order_acq_rel)) {
        cell = fresh;
      } else {
        delete fresh;
      }
    }
    cell->share();
    return cell;
  }

 private:
  bool add_unless_gone() noexcept {
    std::uint32_t count = object_->count_.load(std::memory_order_relaxed);
    while (count != 0) {
      if (object_->count_.compare_exchange_weak(count, count + 1, std::memory_order_acquire)) return true;
    }
    return false;
  }

  std::mutex mutex_;
  const CORBA::RefCounted* object_;
  std::atomic<std::uint32_t> holders_{1};  // the object itself is one
};

WeakCell* weak_cell(const CORBA::RefCounted& object) { return WeakCell::of(object); }
void share(WeakCell* cell) noexcept { cell->share(); }
void drop(WeakCell* cell) noexcept { cell->drop(); }
bool lock(WeakCell* cell) noexcept { return cell->lock(); }
bool expired(WeakCell* cell) noexcept { return cell->expired(); }
void forget(WeakCell* cell) noexcept { cell->forget(); }

}  // namespace orbweaver
