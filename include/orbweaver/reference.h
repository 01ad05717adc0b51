#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <orbweaver/traits.h>

namespace orbweaver {
/// What weak references share with what they refer to: weak_reference.h.
class WeakCell;
void forget(WeakCell* cell) noexcept;
}  // namespace orbweaver

namespace CORBA {

/// Raises BAD_INV_ORDER: an operation was called on a nil reference.
[[noreturn]] void throw_nil_reference();

/// A counted reference to an object: what `IDL::traits<T>::ref_type` is (IDL to C++11, 6.17.2).
/// Copying shares the object; nil is nullptr. Any thread may copy and drop; one object_reference is no
/// more thread-safe than an int.
template <class T>
class object_reference {
 public:
  using element_type = T;

  constexpr object_reference() noexcept = default;
  constexpr object_reference(std::nullptr_t) noexcept {}
  object_reference(const object_reference& other) noexcept : object_(other.object_) { add(); }
  object_reference(object_reference&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U, class = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  object_reference(const object_reference<U>& other) noexcept : object_(other.get()) { add(); }
  template <class U, class = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  object_reference(object_reference<U>&& other) noexcept : object_(other.release()) {}
  ~object_reference() {
    if (object_) object_->_remove_ref();
  }
  object_reference& operator=(object_reference other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  /// For constants: takes over a count before anything runs. Others call `adopt`.
  struct Constant {};
  constexpr object_reference(Constant, T* object) noexcept : object_(object) {}

  /// Takes over one count that the caller holds.
  static object_reference adopt(T* object) noexcept {
    object_reference r;
    r.object_ = object;
    return r;
  }
  /// Gives the count to the caller.
  T* release() noexcept { return std::exchange(object_, nullptr); }
  T* get() const noexcept { return object_; }
  T* operator->() const {
    if (!object_) throw_nil_reference();
    return object_;
  }
  T& operator*() const {
    if (!object_) throw_nil_reference();
    return *object_;
  }
  explicit operator bool() const noexcept { return object_ != nullptr; }

  friend bool operator==(const object_reference& a, std::nullptr_t) noexcept { return a.object_ == nullptr; }
  friend bool operator!=(const object_reference& a, std::nullptr_t) noexcept { return a.object_ != nullptr; }

 private:
  void add() noexcept {
    if (object_) object_->_add_ref();
  }

  T* object_ = nullptr;
};

template <class T, class U>
bool operator==(const object_reference<T>& a, const object_reference<U>& b) noexcept {
  return a.get() == b.get();
}
template <class T, class U>
bool operator!=(const object_reference<T>& a, const object_reference<U>& b) noexcept {
  return a.get() != b.get();
}

/// What counted things derive from: starts with one count, which make_reference or adopt takes over.
class RefCounted {
 public:
  void _add_ref() const noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void _remove_ref() const noexcept {
    // acq_rel: whoever drops the last count sees everything that was done through the others.
    if (count_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (orbweaver::WeakCell* cell = weak_.load(std::memory_order_relaxed)) orbweaver::forget(cell);
    delete this;
  }
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

 protected:
  RefCounted() = default;
  virtual ~RefCounted() = default;

 private:
  friend class orbweaver::WeakCell;

  mutable std::atomic<std::uint32_t> count_{1};
  mutable std::atomic<orbweaver::WeakCell*> weak_{nullptr};  // made when the first weak reference is
};

/// A counted reference to a servant: what make_reference gives for one (IDL to C++11, 6.26.1).
template <class T>
using servant_reference = object_reference<T>;

/// Makes a servant or a local object; its only reference is the result.
template <class T, class... Args>
object_reference<T> make_reference(Args&&... args) {
  return object_reference<T>::adopt(new T(std::forward<Args>(args)...));
}

}  // namespace CORBA
