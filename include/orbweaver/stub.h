#pragma once

// What generated client code is made of. Users do not call this.

#include <cstdint>
#include <exception>
#include <optional>

#include <orbweaver/cdr/codec.h>
#include <orbweaver/object.h>
#include <orbweaver/operation.h>
#include <orbweaver/print.h>

namespace PortableServer {
class Servant;
}

namespace orbweaver::cdr {

/// A bound on the arguments of a call, which may go by a road that carries blocks or by one that copies them.
struct Bound {
  // NOLINTNEXTLINE(google-explicit-constructor): where there are no views, a bound is a number.
  constexpr Bound(std::size_t b, std::size_t a = 0) noexcept : bytes(b), apart(a) {}
  friend constexpr Bound operator+(Bound a, Bound b) noexcept { return {a.bytes + b.bytes, a.apart + b.apart}; }

  std::size_t bytes;  ///< With everything copied.
  std::size_t apart;  ///< As many of them do not go into the frame where views in blocks are described.
};

template <class T>
Bound bound_of(const span<const T>& view) noexcept {
  const std::size_t bytes = Codec<span<const T>>::bound(view);
  if (view.size_bytes() < kSmallestBlockView || !may_lie_in_block(view.data(), view.size_bytes())) return bytes;
  return {bytes, bytes - kDescriptionBytes};
}

}  // namespace orbweaver::cdr

namespace orbweaver {

class ClientConnection;

/// One call on its way. On the caller's stack; used by one thread.
///
///   begin(bound)   takes room on the road to the target and writes the request header into it
///   exchange()     sends; for a two-way waits for the reply. False: the object has moved, the connection
///                  was stale, or a block could not be given after all, so begin again.
///   results()      the reply's results
///   finish()       all results decoded: raises MARSHAL where they did not
///
/// Raises what the target raised, or the system exception that the failure amounts to.
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
  std::int64_t deadline_ns_ = 0;  // of all of it
  std::int64_t sending_ns_ = 0;   // until it has left
  std::uint32_t request_id_ = 0;
  std::uint16_t attempts_ = 0;
  std::uint8_t response_flags_ = 0;
  bool sending_ = false;    // room is claimed, and the connection's send lock held
  bool telling_ = false;    // what is being sent has the code sets in it
  bool receiving_ = false;  // a reply is being read in place
  bool describing_ = false; // there is room only for the descriptions of views that lie in blocks
  bool copying_ = false;    // such a view could not be given: there is to be room for its elements
  bool spare_ = false;      // connection_ is taken for this call alone
  bool awaits_ = false;     // a reply: to every two-way call, to a one-way where a policy says so
  bool patient_ = true;     // not a one-way that is dropped where there is no room for it
  bool dropped_ = false;    // such a one
  std::optional<cdr::Encoder> out_;
  std::optional<cdr::Decoder> in_;
  alignas(8) unsigned char scope_[8];   // what keeps the connection alive during the call
  alignas(8) unsigned char reply_[96];  // the connection's Reply, while receiving_
};

/// A two-way call: `encode(Encoder&)` writes the arguments (again, after a forward), `decode(Decoder&)`
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

template <class Encode>
void oneway(const CORBA::Object& target, const Operation& operation, cdr::Bound bound, Encode&& encode) {
  Invocation call(target, operation);
  do {
    encode(call.begin(bound));
  } while (!call.exchange());
}

/// A direct call's hold on a servant of this process: pins it, and keeps its POA's rules (state,
/// single-threading). `servant()` is null where the target is elsewhere, so that the call takes a road.
/// One-way calls made before it through the same reference are served first, as on any other road
/// (but for calls from inside of an upcall, which might wait for themselves).
class LocalCall {
 public:
  /// `interface`: the one that the stub belongs to.
  LocalCall(const CORBA::Object& target, const Interface& interface) {
    if (target._reference() != nullptr) enter(*target._reference(), interface);
  }
  ~LocalCall() {
    if (finder_ != nullptr) leave();
  }
  LocalCall(const LocalCall&) = delete;
  LocalCall& operator=(const LocalCall&) = delete;

  void* servant() const noexcept { return servant_; }

 private:
  void enter(Reference& target, const Interface& interface);
  void leave() noexcept;

  void* servant_ = nullptr;
  void* finder_ = nullptr;
  alignas(8) unsigned char hold_[24];  // the adapter's, while finder_ is set
};

/// To be called in a catch (...) around a direct call: passes CORBA exceptions on and turns any other
/// into CORBA::UNKNOWN, as on every other road.
[[noreturn]] void rethrow_as_corba(const Operation& operation);

/// A reference on its own: how object references travel.
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
