#pragma once

// Run-time support for generated stubs; not for users.

#include <cstdint>
#include <exception>
#include <optional>

#include <orbweaver/detail/cdr/codec.h>
#include <orbweaver/detail/operation.h>
#include <orbweaver/object.h>
#include <orbweaver/print.h>

namespace PortableServer {
class Servant;
}

namespace orbweaver::cdr {

/// Upper bound of the encoded arguments of a call, whose transport may send blocks or copy them.
struct Bound {
  // NOLINTNEXTLINE(google-explicit-constructor): without views, a bound is a number.
  constexpr Bound(std::size_t b, std::size_t a = 0) noexcept : bytes(b), in_blocks(a) {}
  friend constexpr Bound operator+(Bound a, Bound b) noexcept {
    return {a.bytes + b.bytes, a.in_blocks + b.in_blocks};
  }

  std::size_t bytes;  ///< If all views are copied.
  /// Of these, the bytes that are not claimed when views in blocks are sent as descriptions.
  std::size_t in_blocks;
};

template <class T>
Bound bound_of(const span<const T>& view) noexcept {
  const std::size_t bytes = Codec<span<const T>>::bound(view);
  if (view.size_bytes() < kMinBlockViewBytes || !may_be_in_block(view.data(), view.size_bytes()))
    return bytes;
  return {bytes, bytes - kBlockDescriptionBytes};
}

}  // namespace orbweaver::cdr

namespace orbweaver {

class ClientConnection;

/// One call of a client. On the caller's stack; used by one thread.
///
///   begin(bound)   claims a buffer of the transport to the target and writes the request header into it
///   exchange()     sends; for a two-way call, waits for the reply. False: the object has moved, the
///   connection
///                  was stale, or a block could not be granted, so begin again.
///   results()      the reply's results
///   finish()       after the results have been decoded: raises MARSHAL if they were malformed
///
/// Raises the exception of the reply, or the system exception for the kind of failure (result.h).
class Invocation {
 public:
  Invocation(const CORBA::Object& target, const Operation& operation);
  ~Invocation();
  Invocation(const Invocation&) = delete;
  Invocation& operator=(const Invocation&) = delete;

  cdr::Encoder& begin(cdr::Bound arguments);
  bool exchange();
  cdr::Decoder& results() noexcept { return *in_; }
  void finish();

 private:
  struct Wire;
  friend struct Wire;
  void abandon() noexcept;
  [[noreturn]] void raise_reply_malformed();

  Reference* target_;
  const Operation& operation_;
  ClientConnection* connection_ = nullptr;
  std::int64_t deadline_ns_ = 0;       // deadline of the whole call
  std::int64_t send_deadline_ns_ = 0;  // deadline of sending the request
  std::uint32_t request_id_ = 0;
  std::uint16_t attempts_ = 0;
  std::uint8_t response_flags_ = 0;
  bool has_claim_ = false;           // a buffer is claimed, and the connection's send lock held
  bool sending_code_sets_ = false;   // the request contains the code set context
  bool holds_reply_ = false;         // a reply is being read in place
  bool block_descriptions_ = false;  // the claimed buffer has space only for descriptions of views in blocks
  bool copy_blocks_ = false;         // a view could not be granted: claim space for its elements
  bool uses_auxiliary_connection_ = false;  // connection_ is reserved for this call
  // a reply: of every two-way call, of a one-way call if its policy requires one
  bool expects_reply_ = false;
  bool patient_ = true;   // false: a one-way call that is dropped if the queue is full
  bool dropped_ = false;  // the one-way call was dropped: queue full
  std::optional<cdr::Encoder> out_;
  std::optional<cdr::Decoder> in_;
  alignas(8) unsigned char scope_[8];   // keeps the connection alive during the call
  alignas(8) unsigned char reply_[96];  // the connection's Reply, while holds_reply_
};

/// Makes a two-way call: `encode(Encoder&)` writes the arguments (again, after a forward), `decode(Decoder&)`
/// reads the results.
template <class Encode, class Decode>
void twoway(const CORBA::Object& target, const Operation& operation, cdr::Bound bound, Encode&& encode,
            Decode&& decode) {
  Invocation call(target, operation);
  do {
    encode(call.begin(bound));
  } while (!call.exchange());
  decode(call.results());
  call.finish();
}

/// Makes a one-way call: `encode(Encoder&)` writes the arguments (again, if the connection was stale).
template <class Encode>
void oneway(const CORBA::Object& target, const Operation& operation, cdr::Bound bound, Encode&& encode) {
  Invocation call(target, operation);
  do {
    encode(call.begin(bound));
  } while (!call.exchange());
}

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

 private:
  void enter(Reference& target, const Interface& interface);
  void leave() noexcept;

  void* servant_ = nullptr;
  void* finder_ = nullptr;
  alignas(8) unsigned char hold_[24];  // the object adapter's pin, while finder_ is set
};

/// To be called in a catch (...) around a collocated call: rethrows CORBA exceptions, and raises
/// CORBA::UNKNOWN for others, as remote calls do.
[[noreturn]] void rethrow_as_corba(const Operation& operation);

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
