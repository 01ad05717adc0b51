#pragma once

#include <orbweaver/reference.h>

namespace orbweaver {

/// What the weak references to one counted thing share with it: outlives it as long as there are any.
class WeakCell;
WeakCell* weak_cell(const CORBA::RefCounted& object);
void share(WeakCell* cell) noexcept;
void drop(WeakCell* cell) noexcept;
/// Takes a count of the object; false if it is gone. The object is alive until the count is given back.
bool lock(WeakCell* cell) noexcept;
bool expired(WeakCell* cell) noexcept;

}  // namespace orbweaver

namespace CORBA {

/// What `IDL::traits<T>::weak_ref_type` is (IDL to C++11, 6.17.2): refers to an object without keeping it alive.
/// Against cycles, as where a servant's helpers refer back to it. Any thread may copy and lock; one
/// weak_object_reference is no more thread-safe than an int.
template <class T>
class weak_object_reference {
 public:
  constexpr weak_object_reference() noexcept = default;
  weak_object_reference(const object_reference<T>& object)
      : object_(object.get()), cell_(object ? orbweaver::weak_cell(*object) : nullptr) {}
  weak_object_reference(const weak_object_reference& other) noexcept : object_(other.object_), cell_(other.cell_) {
    if (cell_) orbweaver::share(cell_);
  }
  weak_object_reference(weak_object_reference&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)), cell_(std::exchange(other.cell_, nullptr)) {}
  weak_object_reference& operator=(weak_object_reference other) noexcept {
    std::swap(object_, other.object_);
    std::swap(cell_, other.cell_);
    return *this;
  }
  ~weak_object_reference() {
    if (cell_) orbweaver::drop(cell_);
  }

  /// The object, or nil if nothing holds it any more.
  object_reference<T> lock() const noexcept {
    return cell_ && orbweaver::lock(cell_) ? object_reference<T>::adopt(object_) : nullptr;
  }
  /// Nothing was ever referred to, or it is gone.
  bool expired() const noexcept { return !cell_ || orbweaver::expired(cell_); }
  void reset() noexcept { *this = weak_object_reference(); }

 private:
  T* object_ = nullptr;
  orbweaver::WeakCell* cell_ = nullptr;
};

template <class T>
using weak_servant_reference = weak_object_reference<T>;

}  // namespace CORBA
