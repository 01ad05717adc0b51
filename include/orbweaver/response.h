#pragma once

#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>

#include <orbweaver/detail/cdr/codec.h>
#include <orbweaver/detail/cdr/scope_of.h>
#include <orbweaver/detail/skeleton.h>
#include <orbweaver/exception.h>
#include <orbweaver/reference.h>

namespace CORBA {

/// Traits of an interface for servants that answer later, specialised by code that is generated with
/// `orbweaver-idl --amh`: `base_type`, the skeleton to derive from, and `ref_type`, a reference to a servant.
template <class Interface>
struct amh_traits;

}  // namespace CORBA

namespace orbweaver {

/// @cond internal

/// The reply to a request, which is sent later. Its destructor sends an exception if nothing has been sent.
/// One thread at a time uses it.
class DeferredReply : public CORBA::RefCounted {
 public:
  /// Begins the reply: returns the encoder for at most `results_bound` bytes. Raises BAD_INV_ORDER
  /// (0x4f570049) if there is a reply already.
  virtual cdr::Encoder& begin(std::size_t results_bound) = 0;
  /// Sends what `begin` has begun. Without effect if the client has gone.
  virtual void send() = 0;
  /// Sends an exception. Raises as `begin`.
  virtual void fail(std::exception_ptr exception) = 0;
  /// Whether there is no reply yet, and the client has not gone.
  virtual bool is_awaited() const noexcept = 0;
};

/// Takes over the reply to `call`. Raises TRANSIENT (0x4f570021) if the limit of deferred requests is
/// reached.
CORBA::object_reference<DeferredReply> defer_reply(ServerCall& call);

/// Executes an upcall whose reply is deferred: `upcall(reply)`. An exception that it raises is the reply.
template <class Upcall>
void serve_deferred(ServerCall& call, const Upcall& upcall) {
  const CORBA::object_reference<DeferredReply> reply = defer_reply(call);
  try {
    upcall(reply);
  } catch (...) {
    if (reply.get()->is_awaited()) reply.get()->fail(std::current_exception());
  }
}

/// In place of the interface that CollocatedCall asks a servant for: it answers later.
const Interface& deferring_interface() noexcept;

/// @endcond

/// The reply to a request, which a servant gives when it has the results: at once or later, in any thread,
/// and once (docs/asynchronous-calls.md). `Results` are the result of the operation, unless it is void, and
/// its `out` and `inout` parameters. Copies share the reply. If the last copy is destroyed without a reply,
/// the client receives NO_RESPONSE (0x4f570035). Any thread may use and destroy copies; one at a time
/// replies.
template <class... Results>
class Response {
 public:
  /// @cond internal
  explicit Response(CORBA::object_reference<DeferredReply> reply) noexcept : reply_(std::move(reply)) {}
  /// @endcond

  /// Sends the results, without waiting for the client; no effect if the client has gone. Raises
  /// BAD_INV_ORDER (0x4f570049) if there is a reply already, and what the encoding of the results raises.
  void reply(const Results&... results) const {
    if constexpr (cdr::kHoldValues<Results...>) {
      const auto write = [&](cdr::Encoder& out) { (cdr::encode(out, results), ...); };
      const typename cdr::ScopeOfAny<Results...>::Scope::Encoded encoded(write);
      encoded.write(reply_->begin(encoded.bound()));
    } else {
      cdr::Encoder& out = reply_->begin((std::size_t{0} + ... + cdr::bound_of(results)));
      (cdr::encode(out, results), ...);
    }
    reply_->send();
  }
  /// Sends an exception: of the operation's `raises` clause, a system exception, or ForwardRequest. Raises
  /// BAD_INV_ORDER (0x4f570049) if there is a reply already.
  void raise(std::exception_ptr exception) const { reply_->fail(std::move(exception)); }
  /// As above.
  template <class E, class = std::enable_if_t<std::is_base_of_v<CORBA::Exception, E>>>
  void raise(const E& exception) const {
    reply_->fail(std::make_exception_ptr(exception));
  }
  /// Whether there is no reply yet, and the client waits for one, as far as is known: it may have gone.
  bool is_awaited() const noexcept { return reply_.get()->is_awaited(); }

 private:
  CORBA::object_reference<DeferredReply> reply_;
};

}  // namespace orbweaver
