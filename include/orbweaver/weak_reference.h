#pragma once

#include <orbweaver/reference.h>

namespace orbweaver::detail {

/// @cond internal

/// Control block shared by an object and its weak references. Outlives the object as long as there are weak
/// references.
class WeakControlBlock;
/// Returns the control block of `object`, created at the first call, with a count for the caller. Any thread.
WeakControlBlock* weak_control_block(const CORBA::RefCounted& object);
/// Adds a weak reference.
void add_weak_ref(WeakControlBlock* block) noexcept;
/// Removes a weak reference; frees the control block with the last one.
void remove_weak_ref(WeakControlBlock* block) noexcept;
/// Adds a count to the object; returns false if the object has been destroyed.
bool try_add_ref(WeakControlBlock* block) noexcept;
/// Returns whether the object has been destroyed.
bool is_expired(WeakControlBlock* block) noexcept;

/// @endcond

}  // namespace orbweaver::detail

namespace CORBA {

/// Weak reference to an object, which it does not keep alive: `IDL::traits<T>::weak_ref_type` (IDL to C++11,
/// 6.17.2). Breaks cycles of references, as between a servant and objects that refer back to it. Any thread
/// may copy and lock references to one object; a single weak_object_reference is as thread-safe as an int.
template <class T>
class weak_object_reference {
 public:
  /// Refers to no object.
  constexpr weak_object_reference() noexcept = default;
  /// Refers to `object`; nil: to none.
  weak_object_reference(const object_reference<T>& object)
      : object_(object.get()),
        control_block_(object ? orbweaver::detail::weak_control_block(*object) : nullptr) {}
  /// Refers to the object of `other`.
  weak_object_reference(const weak_object_reference& other) noexcept
      : object_(other.object_), control_block_(other.control_block_) {
    if (control_block_) orbweaver::detail::add_weak_ref(control_block_);
  }
  /// Takes the reference of `other`, which then refers to no object.
  weak_object_reference(weak_object_reference&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)),
        control_block_(std::exchange(other.control_block_, nullptr)) {}
  /// Refers to the object of `other` instead.
  weak_object_reference& operator=(weak_object_reference other) noexcept {
    std::swap(object_, other.object_);
    std::swap(control_block_, other.control_block_);
    return *this;
  }
  ~weak_object_reference() {
    if (control_block_) orbweaver::detail::remove_weak_ref(control_block_);
  }

  /// Returns the object, or nil if it has been destroyed.
  object_reference<T> lock() const noexcept {
    return control_block_ && orbweaver::detail::try_add_ref(control_block_)
               ? object_reference<T>::adopt(object_)
               : nullptr;
  }
  /// Returns whether the object has been destroyed, or none was set.
  bool expired() const noexcept { return !control_block_ || orbweaver::detail::is_expired(control_block_); }
  /// Refers to no object any more.
  void reset() noexcept { *this = weak_object_reference(); }

 private:
  T* object_ = nullptr;
  orbweaver::detail::WeakControlBlock* control_block_ = nullptr;
};

/// Weak reference to a servant (IDL to C++11, 6.26.1).
template <class T>
using weak_servant_reference = weak_object_reference<T>;

}  // namespace CORBA
