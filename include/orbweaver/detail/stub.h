#pragma once

// Run-time support for generated stubs; not for users.

#include <cstdint>
#include <exception>

#include <orbweaver/detail/cdr/codec.h>
#include <orbweaver/detail/invoke.h>
#include <orbweaver/detail/operation.h>
#include <orbweaver/object.h>
#include <orbweaver/print.h>

namespace PortableServer {
class Servant;
}

namespace orbweaver::cdr {

template <class T>
Bound bound_of(const span<const T>& view) noexcept {
  const std::size_t bytes = Codec<span<const T>>::bound(view);
  if (view.size_bytes() < kMinBlockViewBytes || !may_be_in_block(view.data(), view.size_bytes()))
    return bytes;
  return {bytes, bytes - kBlockDescriptionBytes};
}

}  // namespace orbweaver::cdr

namespace orbweaver {

/// Pins the servant of a collocated call, and applies its POA's rules (state, single-threading). `servant()`
/// is null if the target is not in this process, so that the call uses a transport. One-way calls made before
/// through the same reference are served first, as over any transport (except for calls inside an upcall,
/// where this might deadlock).
class CollocatedCall {
 public:
  /// `interface`: the stub's interface.
  CollocatedCall(const CORBA::Object& target, const Interface& interface) {
    if (target._reference() != nullptr) enter(*target._reference(), interface);
  }
  ~CollocatedCall() {
    if (finder_ != nullptr) leave();
  }
  CollocatedCall(const CollocatedCall&) = delete;
  CollocatedCall& operator=(const CollocatedCall&) = delete;

  void* servant() const noexcept { return servant_; }
  /// After rethrow_as_corba has returned: leaves the servant, and enters that of the object to which the call
  /// was forwarded, if it is in this process. Raises TRANSIENT after too many forwards.
  void follow_forward(const CORBA::Object& target, const Interface& interface);

 private:
  void enter(Reference& target, const Interface& interface);
  void leave() noexcept;

  void* servant_ = nullptr;
  void* finder_ = nullptr;
  std::uint32_t forwards_ = 0;
  alignas(8) unsigned char hold_[24];  // the object adapter's pin, while finder_ is set
};

/// To be called in a catch (...) around a collocated call of `target`: rethrows CORBA exceptions, and raises
/// CORBA::UNKNOWN for others, as remote calls do. Returns after a PortableServer::ForwardRequest: the call is
/// to be repeated, see CollocatedCall::follow_forward.
void rethrow_as_corba(const CORBA::Object& target, const Operation& operation);

/// Encoding of object references. For generated code and codecs.
Reference* decode_reference(cdr::Decoder& in);  // a new count, or null for nil
void encode_reference(cdr::Encoder& out, const CORBA::Object* object);
std::size_t bound_reference(const CORBA::Object* object);
void drop_reference(Reference* reference) noexcept;

}  // namespace orbweaver

namespace orbweaver::cdr {

template <class T>
struct Codec<CORBA::object_reference<T>> {
  static constexpr std::size_t kMinBytes = 8, kMaxBytes = 0, kAlign = 4;
  static constexpr bool kPlain = false;
  static std::size_t bound(const CORBA::object_reference<T>& r) { return bound_reference(r.get()); }
  static void encode(Encoder& out, const CORBA::object_reference<T>& r) { encode_reference(out, r.get()); }
  static void decode(Decoder& in, CORBA::object_reference<T>& r) {
    Reference* reference = decode_reference(in);
    r = nullptr;
    if (reference == nullptr) return;
    r = CORBA::object_reference<T>::adopt(T::_make(reference));
    drop_reference(reference);
  }
};

}  // namespace orbweaver::cdr
