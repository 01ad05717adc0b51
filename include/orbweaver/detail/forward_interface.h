#pragma once

// For generated code; not for users. References to interfaces that an IDL file declares and does not define.

#include <orbweaver/detail/stub.h>
#include <orbweaver/object.h>

#include <atomic>

namespace orbweaver {

/// What references to an interface need of its class, which is not known where the interface is declared
/// only.
struct ForwardOperations {
  CORBA::Object* (*object)(void* reference) noexcept;  ///< The base of an object of the class.
  void* (*make)(Reference* reference);                 ///< As T::_make; null for a local interface.
};

/// References to an interface T whose class may be incomplete. The generated code of the file that defines
/// the interface sets the operations before main, or when the library that contains it is loaded. In a
/// program without that code the references are objects of class CORBA::Object.
template <class T>
struct ForwardInterface {
  /// Release W1 of define_forward_interface pairs with acquire R1 of `object` and `make`.
  static inline std::atomic<const ForwardOperations*> operations{nullptr};

  static CORBA::Object* object(T* reference) noexcept {
    const ForwardOperations* const defined = operations.load(std::memory_order_acquire);  // R1
    return defined != nullptr && reference != nullptr ? defined->object(reference)
                                                      : reinterpret_cast<CORBA::Object*>(reference);
  }
  static T* make(Reference* reference) {
    const ForwardOperations* const defined = operations.load(std::memory_order_acquire);  // R1
    return static_cast<T*>(defined != nullptr ? defined->make(reference)
                                              : static_cast<void*>(CORBA::Object::_make(reference)));
  }
  static void add(T* reference) noexcept {
    if (reference != nullptr) object(reference)->_add_ref();
  }
  static void remove(T* reference) noexcept {
    if (reference != nullptr) object(reference)->_remove_ref();
  }
  static void decode(cdr::Decoder& in, CORBA::object_reference<T>& into) {
    Reference* const reference = decode_reference(in);
    into = nullptr;
    if (reference == nullptr) return;
    into = CORBA::object_reference<T>::adopt(make(reference));
    drop_reference(reference);
  }
};

/// Called by the generated code of the file that defines T. `make`: null for a local interface.
template <class T>
bool define_forward_interface(void* (*make)(Reference* reference)) noexcept {
  static constexpr auto kObject = [](void* reference) noexcept -> CORBA::Object* {
    return static_cast<T*>(reference);
  };
  static const ForwardOperations defined{kObject, make};
  ForwardInterface<T>::operations.store(&defined, std::memory_order_release);  // W1
  return true;
}

}  // namespace orbweaver
