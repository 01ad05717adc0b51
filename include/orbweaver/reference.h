#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <orbweaver/traits.h>

namespace orbweaver::detail {
// Control block shared by an object and its weak references: weak_reference.h.
class WeakControlBlock;
/// @cond internal
/// Detaches the object, which is about to be deleted, from its weak references.
void detach_weak_refs(WeakControlBlock* block) noexcept;
/// Whether T, a complete type, is a value type (orbweaver/value.h).
template <class T, class = void>
struct is_value : std::false_type {};
template <class T>
struct is_value<T, std::void_t<decltype(&T::_static_value_type)>> : std::true_type {};
/// @endcond
}  // namespace orbweaver::detail

namespace CORBA {

/// @cond internal
/// Raises BAD_INV_ORDER (0x4f570046), COMPLETED_NO: an operation was called on a nil reference.
[[noreturn]] void throw_nil_reference();
/// @endcond

/// Counted reference to an object: `IDL::traits<T>::ref_type` (IDL to C++11, 6.17.2). Copies share the
/// object; nil is nullptr. Any thread may copy and destroy references to one object; a single
/// object_reference is as thread-safe as an int.
template <class T>
class object_reference {
 public:
  using element_type = T;  ///< The interface.

  /// Nil.
  constexpr object_reference() noexcept = default;
  /// Nil.
  constexpr object_reference(std::nullptr_t) noexcept {}
  /// Shares the object of `other`.
  object_reference(const object_reference& other) noexcept : object_(other.object_) { add(); }
  /// Takes the object of `other`, which becomes nil.
  object_reference(object_reference&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  /// Shares the object of `other`, a reference of a derived interface.
  template <class U, class = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  object_reference(const object_reference<U>& other) noexcept : object_(other.get()) {
    add();
  }
  /// Takes the object of `other`, a reference of a derived interface, which becomes nil.
  template <class U, class = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  object_reference(object_reference<U>&& other) noexcept : object_(other.release()) {}
  ~object_reference() {
    if (object_) object_->_remove_ref();
  }
  /// Releases the object of this reference, and refers to that of `other`.
  object_reference& operator=(object_reference other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  /// @cond internal
  /// For constants, initialised before any code runs: takes over one count. Other code calls `adopt`.
  struct Constant {};
  constexpr object_reference(Constant, T* object) noexcept : object_(object) {}
  /// @endcond

  /// Returns a reference that takes over one count from the caller.
  static object_reference adopt(T* object) noexcept {
    object_reference r;
    r.object_ = object;
    return r;
  }
  /// Makes this reference nil and passes its count to the caller.
  T* release() noexcept { return std::exchange(object_, nullptr); }
  /// The object, borrowed; null if nil.
  T* get() const noexcept { return object_; }
  /// The object. Raises BAD_INV_ORDER (0x4f570046), COMPLETED_NO, if nil.
  T* operator->() const {
    if (!object_) throw_nil_reference();
    return object_;
  }
  /// As operator->.
  T& operator*() const {
    if (!object_) throw_nil_reference();
    return *object_;
  }
  /// Whether the reference is not nil.
  explicit operator bool() const noexcept { return object_ != nullptr; }

  /// Whether `a` is nil.
  friend bool operator==(const object_reference& a, std::nullptr_t) noexcept { return a.object_ == nullptr; }
  /// Whether `a` is not nil.
  friend bool operator!=(const object_reference& a, std::nullptr_t) noexcept { return a.object_ != nullptr; }

 private:
  void add() noexcept {
    if (object_) object_->_add_ref();
  }

  T* object_ = nullptr;
};

/// Whether both refer to one C++ object, or are nil. References that were received separately differ, even if
/// they are equivalent (Object::_is_equivalent).
template <class T, class U>
bool operator==(const object_reference<T>& a, const object_reference<U>& b) noexcept {
  return a.get() == b.get();
}
/// The negation of ==.
template <class T, class U>
bool operator!=(const object_reference<T>& a, const object_reference<U>& b) noexcept {
  return a.get() != b.get();
}

/// Base of reference-counted objects. Created with one count, which make_reference or adopt takes over. The
/// functions may be called by any thread.
class RefCounted {
 public:
  /// Adds a count.
  void _add_ref() const noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  /// Removes a count; destroys the object with the last one.
  void _remove_ref() const noexcept {
    // acq_rel: the thread that drops the last count sees everything that was done through the others.
    if (count_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (auto* const weak = weak_.load(std::memory_order_relaxed)) orbweaver::detail::detach_weak_refs(weak);
    delete this;
  }
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

 protected:
  RefCounted() = default;
  virtual ~RefCounted() = default;

 private:
  friend class orbweaver::detail::WeakControlBlock;

  mutable std::atomic<std::uint32_t> count_{1};
  // created with the first weak reference
  mutable std::atomic<orbweaver::detail::WeakControlBlock*> weak_{nullptr};
};

/// Counted reference to a servant, as returned by make_reference (IDL to C++11, 6.26.1).
template <class T>
using servant_reference = object_reference<T>;

/// Creates a servant or a local object of type T and returns its only reference.
template <class T, class... Args>
object_reference<T> make_reference(Args&&... args) {
  return object_reference<T>::adopt(new T(std::forward<Args>(args)...));
}

}  // namespace CORBA
