#include <orbweaver/detail/stub.h>

#include <algorithm>
#include <new>
#include <span>

#include "base/log.h"
#include "base/printable.h"
#include "giop/request.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/server/upcall_scope.h"
#include "orb/system_exceptions.h"
#include "platform/process_identity.h"

namespace orbweaver {

using CORBA::CompletionStatus;
using transport::Deadline;

namespace {

// Minimum size of a gathered write: below, a copy costs less (docs/bench.md).
constexpr std::size_t kMinGatherBytes = std::size_t{16} << 10;
constexpr std::uint16_t kMaxAttempts = 10;  // forwards and reconnects of one call

Reference& reference_of(const CORBA::Object& target) {
  if (target._reference() == nullptr) {
    throw CORBA::BAD_INV_ORDER(minor::kLocalObject, CompletionStatus::COMPLETED_NO,
                               "a local object has no remote operations");
  }
  return *target._reference();
}

}  // namespace

/// Implementation of Invocation that the public header does not show.
struct Invocation::Wire {
  /// Raises the exception in a reply, or follows its forward. Returns true if the call is to be repeated.
  static bool handle_exceptional_reply(Invocation& call, giop::ReplyHeader& header, cdr::Decoder& in);
  static void raise_user(Invocation& call, cdr::Decoder& in);
  [[noreturn]] static void raise_system(const giop::ReplyHeader& header, cdr::Decoder& in);
  /// Handles a failure of the connection. Returns if the call may be repeated, else raises. `sent`: the
  /// server may have received the request.
  static void recover(Invocation& call, const Error& error, bool sent);
  static void count_attempt(Invocation& call);
  /// Sets the deadlines and the behaviour of a one-way call from the effective policies.
  static void apply_policies(Invocation& call, Deadline& deadline, Deadline& send_deadline);
  /// Whether a request of at most `bytes` bytes, of which `header` are the header, is sent in fragments. A
  /// request larger than -ORBMaxMessageBytes is not: it is rejected before anything is sent.
  static bool should_fragment(const Invocation& call, const Endpoint& endpoint, std::size_t bytes,
                              std::size_t header) noexcept {
    const orb::Options& options = call.target_->core().options();
    if (bytes <= options.max_fragment_bytes || options.max_fragment_bytes == 0) [[likely]]
      return false;
    return call.patient_ && endpoint.version >= giop::kGiop12 && header + 8 <= options.max_fragment_bytes &&
           bytes <= options.max_message_bytes && call.connection_->allows_fragments();
  }
  /// Claims a buffer for a one-way call with SYNC_NONE. Errors: timed_out if the queue is full.
  static Result<MutableBytes> try_claim(ClientConnection& connection, std::size_t bytes);
  /// Selects an auxiliary connection for a two-way call that must not wait behind the outstanding reply of
  /// its connection.
  static void acquire_auxiliary_connection(Invocation& call, const Endpoint& endpoint, Deadline deadline);
  static void release_auxiliary_connection(Invocation& call) noexcept;
  /// Encodes the header of a connection's first request, with the CodeSets context.
  static void encode_header_with_code_sets(Invocation& call, const Endpoint& endpoint, giop::Body body) {
    call.sending_code_sets_ = true;
    const giop::ServiceContext code_sets{giop::context_id::kCodeSets, endpoint.code_sets};
    encode_header(call, endpoint, {&code_sets, 1}, body);
  }
  static void encode_header(Invocation& call, const Endpoint& endpoint,
                            std::span<const giop::ServiceContext> contexts, giop::Body body) {
    const std::string_view name{call.operation_.name, call.operation_.name_bytes};
    if (endpoint.target.addressing == giop::AddressingDisposition::key) {
      giop::encode_request(*call.out_, endpoint.version, call.request_id_, call.response_flags_,
                           endpoint.object_key, name, contexts, body);
    } else {
      giop::encode_request(*call.out_, call.request_id_, call.response_flags_, endpoint.target, name,
                           contexts, body);
    }
  }
  /// Response flags of the headers that were encoded in advance.
  static std::uint8_t default_response_flags(const Operation& operation) noexcept {
    return operation.oneway ? giop::response::kNone : giop::response::kWithTarget;
  }

  static ClientConnection::Reply& reply(Invocation& call) {
    return *std::launder(reinterpret_cast<ClientConnection::Reply*>(call.reply_));
  }
};

Invocation::Invocation(const CORBA::Object& target, const Operation& operation)
    : target_(&reference_of(target)), operation_(operation) {
  static_assert(sizeof(orb::CallScope) <= sizeof scope_);
  static_assert(sizeof(ClientConnection::Reply) <= sizeof reply_ && alignof(ClientConnection::Reply) <= 8);
  new (scope_) orb::CallScope;
}

Invocation::~Invocation() {
  if (has_claim_) abandon();
  if (holds_reply_) {
    connection_->release(Wire::reply(*this));
    Wire::reply(*this).~Reply();
  }
  if (uses_auxiliary_connection_) Wire::release_auxiliary_connection(*this);
  std::launder(reinterpret_cast<orb::CallScope*>(scope_))->~CallScope();
}

cdr::Encoder& Invocation::begin(cdr::Bound arguments) {
  Deadline deadline = target_->core().call_deadline(), send_deadline = deadline;
  expects_reply_ = !operation_.oneway;
  response_flags_ = Wire::default_response_flags(operation_);
  if (orb::call_policies_in_use.load(std::memory_order_relaxed)) [[unlikely]]
    Wire::apply_policies(*this, deadline, send_deadline);
  deadline_ns_ = deadline.ns;
  send_deadline_ns_ = send_deadline.ns;
  for (;;) {
    if (uses_auxiliary_connection_) [[unlikely]]
      Wire::release_auxiliary_connection(*this);
    const Binding& binding = target_->binding(send_deadline);
    connection_ = binding.connection.get();
    const Endpoint& endpoint = binding.endpoint;
    if (deadline.is_never() && !endpoint.transport->traits().reliable) [[unlikely]] {
      // The request or the reply may be lost: the wait is limited.
      deadline = Deadline::in_ms(target_->core().options().udp_call_timeout_ms);
      deadline_ns_ = deadline.ns;
      send_deadline.ns = send_deadline_ns_ = std::min(send_deadline.ns, deadline.ns);
    }
    if (connection_->has_outstanding_replies() && expects_reply_) [[unlikely]]
      Wire::acquire_auxiliary_connection(*this, endpoint, send_deadline);
    const giop::Body body = arguments.bytes == 0 ? giop::Body::empty : giop::Body::follows;
    const giop::RequestTemplate& request_template = binding.request(operation_, body);
    const std::size_t contexts = endpoint.code_sets.empty() ? 0 : 32 + endpoint.code_sets.size();
    BlockSender* const blocks = arguments.bytes >= kMinBlockViewBytes ? connection_->block_sender() : nullptr;
    block_descriptions_ = arguments.in_blocks != 0 && blocks != nullptr && !copy_blocks_;
    const std::size_t bound = block_descriptions_ ? arguments.bytes - arguments.in_blocks : arguments.bytes;
    const std::size_t message_bytes = request_template.size() + contexts + bound;
    const bool in_fragments =
        Wire::should_fragment(*this, endpoint, message_bytes, request_template.size() + contexts);
    const std::size_t claim_bytes =
        in_fragments ? target_->core().options().max_fragment_bytes : message_bytes;
    auto room = patient_ ? connection_->claim(claim_bytes, send_deadline)
                         : Wire::try_claim(*connection_, claim_bytes);
    if (!room) [[unlikely]] {
      if (!patient_ && room.error().kind == ErrorKind::timed_out) {
        log::debug([&] { return std::string("dropped: queue full: ") + operation_.name; });
        dropped_ = true;
        out_.emplace(reply_, 0);  // what is encoded is discarded
        return *out_;
      }
      Wire::recover(*this, room.error(), false);
      continue;
    }
    has_claim_ = true;
    request_id_ = connection_->next_request_id();
    out_.emplace(room->data(), in_fragments ? claim_bytes : room->size());
    if (blocks != nullptr) out_->blocks(blocks);
    if (in_fragments) [[unlikely]] {
      out_->set_overflow_handler(connection_->send_in_fragments(room->first(claim_bytes), request_id_,
                                                                expects_reply_, send_deadline));
    }
    if (arguments.bytes >= kMinGatherBytes && connection_->gathers(expects_reply_))
      out_->allow_out_of_line(kMinGatherBytes);
    if (contexts != 0 && !connection_->exchange_code_sets_sent()) [[unlikely]] {
      Wire::encode_header_with_code_sets(*this, endpoint, body);
    } else if (response_flags_ != Wire::default_response_flags(operation_)) [[unlikely]] {
      Wire::encode_header(*this, endpoint, {}, body);
    } else if (request_template.number() != 0) [[likely]] {
      connection_->put_prefix(*room, {request_template.number(), request_template.octets()});
      request_template.encode_after_prefix(*out_, request_id_);
    } else {
      request_template.encode(*out_, request_id_);
    }
    return *out_;
  }
}

bool Invocation::exchange() {
  if (dropped_) [[unlikely]]
    return true;
  if (!giop::finish_message(*out_)) [[unlikely]] {
    if (connection_->fragment_failed()) {
      has_claim_ = false;
      auto sent = connection_->commit(0, expects_reply_, Deadline{send_deadline_ns_});
      Wire::recover(*this, sent.error(), false);
      return false;
    }
    if (block_descriptions_) {  // too many grants held, or too many processes on its way
      abandon();
      return !(copy_blocks_ = true);
    }
    throw CORBA::MARSHAL(
        minor::kEncodingOverran, CompletionStatus::COMPLETED_NO,
        std::string("the arguments of ") + operation_.name + " changed while they were sent");
  }
  has_claim_ = false;
  if (const auto& out_of_line = out_->out_of_line(); out_of_line.bytes != 0) {
    connection_->attach_segment(out_of_line.at,
                                {static_cast<const std::uint8_t*>(out_of_line.from), out_of_line.bytes});
  }
  const std::uint64_t send_position = connection_->send_position();
  if (auto sent = connection_->commit(out_->size(), expects_reply_, Deadline{send_deadline_ns_}); !sent)
      [[unlikely]] {
    // The server will not receive the complete request. If a part was sent before the deadline, the
    // connection has been closed, possibly with earlier calls in progress; if nothing was sent, the
    // connection is unchanged.
    Wire::recover(*this, sent.error(), sent.error().kind == ErrorKind::timed_out && !connection_->usable());
    return false;
  }
  if (!expects_reply_) {
    if (target_->is_collocated()) target_->mark_queued_oneway();
    return true;
  }

  auto* reply = new (reply_) ClientConnection::Reply;
  holds_reply_ = true;
  if (auto arrived = connection_->await(request_id_, Deadline{deadline_ns_}, *reply); !arrived) [[unlikely]] {
    holds_reply_ = false;
    reply->~Reply();
    const bool lost = arrived.error().kind == ErrorKind::disconnected;
    Wire::recover(*this, arrived.error(), !lost || !connection_->was_not_received(send_position));
    return false;
  }
  if (reply->plain) [[likely]] {
    in_.emplace(reply->message.data(), reply->message.size(), false);
    in_->skip(ClientConnection::kPlainReplyBytes);
    in_->broker(&target_->core());
    return true;
  }
  in_.emplace(giop::open_body(reply->message, reply->header));
  in_->broker(&target_->core());
  giop::ReplyHeader header;
  if (reply->header.type != giop::MessageType::reply ||
      !giop::decode_reply(*in_, reply->header.version, header)) {
    raise_reply_malformed();
  }
  if (header.status == giop::ReplyStatus::no_exception) [[likely]]
    return true;
  if (!Wire::handle_exceptional_reply(*this, header, *in_)) return true;
  connection_->release(*reply);
  holds_reply_ = false;
  reply->~Reply();
  return false;
}

void Invocation::abandon() noexcept {
  has_claim_ = false;
  if (sending_code_sets_) connection_->clear_code_sets_sent();
  connection_->abandon();
}

void Invocation::finish() {
  if (!in_->ok()) [[unlikely]] {
    const std::string what = std::string("the results of ") + operation_.name;
    orb::raise_marshal(*in_, what.c_str(), CompletionStatus::COMPLETED_YES);
  }
}

void Invocation::raise_reply_malformed() {
  throw CORBA::MARSHAL(minor::kReplyMalformed, CompletionStatus::COMPLETED_MAYBE,
                       giop::malformed("reply header", *in_).message);
}

void Invocation::Wire::apply_policies(Invocation& call, Deadline& deadline, Deadline& send_deadline) {
  orb::Core& core = call.target_->core();
  const orb::CallPolicies policies = call.target_->policies().call_policies().with_defaults(
      core.policy_current()->policies().call_policies().with_defaults(
          core.policy_manager()->call_policies()));
  const auto from_now = [](std::int64_t ns) { return ns == 0 ? Deadline::never() : Deadline::in_ns(ns); };
  if (policies.roundtrip_ns) deadline = from_now(*policies.roundtrip_ns);
  send_deadline = deadline;
  if (policies.request_ns) send_deadline.ns = std::min(send_deadline.ns, from_now(*policies.request_ns).ns);
  if (!policies.scope || !call.operation_.oneway) return;
  call.expects_reply_ = *policies.scope >= orb::SyncScope::server;
  call.patient_ = *policies.scope != orb::SyncScope::none;
  if (call.expects_reply_) {
    call.response_flags_ =
        *policies.scope == orb::SyncScope::server ? giop::response::kWithServer : giop::response::kWithTarget;
  }
}

/// Retries once after 1 ms: a receiver briefly behind, or a concurrent sender, does not cause a drop.
Result<MutableBytes> Invocation::Wire::try_claim(ClientConnection& connection, std::size_t bytes) {
  auto room = connection.claim(bytes, Deadline{0});
  if (room || room.error().kind != ErrorKind::timed_out) return room;
  platform::sleep_ms(1);
  return connection.claim(bytes, Deadline{0});
}

void Invocation::Wire::acquire_auxiliary_connection(Invocation& call, const Endpoint& endpoint,
                                                    Deadline deadline) {
  orb::Core& core = call.target_->core();
  const bool nested = orb::in_connection_upcall();
  const std::size_t max_connections =
      nested ? core.options().auxiliary_connections : core.options().connections_per_peer - 1;
  if (max_connections == 0) return;
  // The reply to an abandoned call may have arrived and not been read.
  call.connection_->check_for_close();
  if (!call.connection_->has_outstanding_replies()) return;
  ClientConnection* const auxiliary =
      nested ? &core.connections().auxiliary().acquire(endpoint, max_connections, deadline)
             : core.connections().auxiliary().try_acquire(endpoint, max_connections, deadline);
  if (auxiliary == nullptr) return;
  call.connection_ = auxiliary;
  call.uses_auxiliary_connection_ = true;
}

void Invocation::Wire::release_auxiliary_connection(Invocation& call) noexcept {
  call.uses_auxiliary_connection_ = false;
  call.target_->core().connections().auxiliary().release(*call.connection_);
}

void Invocation::Wire::count_attempt(Invocation& call) {
  if (++call.attempts_ <= kMaxAttempts) return;
  throw CORBA::TRANSIENT(
      minor::kTooManyForwards, CompletionStatus::COMPLETED_NO,
      "too many forwards or addressing requests: " + std::to_string(kMaxAttempts) + " attempts");
}

void Invocation::Wire::recover(Invocation& call, const Error& error, bool sent) {
  // A call that timed out may have been answered before the server closed.
  const bool not_done =
      !sent || (error.kind == ErrorKind::disconnected && call.connection_->closed_orderly());
  if (error.kind == ErrorKind::disconnected) call.target_->core().connections().drop_closed();
  if (error.kind == ErrorKind::disconnected && not_done) {
    // The call was not executed: it is repeated once over a new connection. If the server is gone, `binding`
    // raises.
    if (call.attempts_ < 2) {
      ++call.attempts_;
      return;
    }
    throw CORBA::TRANSIENT(minor::kPeerClosed, CompletionStatus::COMPLETED_NO, error.message);
  }
  orb::raise_for(error, not_done ? CompletionStatus::COMPLETED_NO : CompletionStatus::COMPLETED_MAYBE);
}

bool Invocation::Wire::handle_exceptional_reply(Invocation& call, giop::ReplyHeader& header,
                                                cdr::Decoder& in) {
  switch (header.status) {
    case giop::ReplyStatus::user_exception: raise_user(call, in); break;
    case giop::ReplyStatus::system_exception: raise_system(header, in);
    case giop::ReplyStatus::location_forward:
    case giop::ReplyStatus::location_forward_perm: {
      giop::Ior ior;
      if (!giop::decode(in, ior)) call.raise_reply_malformed();
      count_attempt(call);
      call.target_->forward(std::move(ior));
      return true;
    }
    case giop::ReplyStatus::needs_addressing_mode: {
      giop::AddressingDisposition disposition;
      if (!giop::decode(in, disposition)) call.raise_reply_malformed();
      count_attempt(call);
      call.target_->set_addressing_disposition(disposition);
      return true;
    }
    default: break;
  }
  call.raise_reply_malformed();
}

void Invocation::Wire::raise_user(Invocation& call, cdr::Decoder& in) {
  const std::string_view id = in.get_string_view();
  for (std::uint32_t i = 0; i < call.operation_.raises_count; ++i) {
    if (id == call.operation_.raises[i].repository_id) call.operation_.raises[i].raise(in);
  }
  if (!in.ok()) orb::raise_marshal(in, "the members of an exception", CompletionStatus::COMPLETED_YES);
  throw CORBA::UNKNOWN(minor::kUndeclaredException, CompletionStatus::COMPLETED_YES,
                       std::string(call.operation_.name) + " raised " + printable(id, 1024) +
                           ", which this program's IDL does not declare for it");
}

void Invocation::Wire::raise_system(const giop::ReplyHeader& header, cdr::Decoder& in) {
  giop::SystemException e;
  if (!giop::decode(in, e)) orb::raise_marshal(in, "a system exception", CompletionStatus::COMPLETED_MAYBE);
  std::string detail;
  if (const auto context = header.contexts.find(giop::context_id::kExceptionDetailMessage)) {
    if (auto text = giop::decode_exception_detail(*context)) detail = *text;
  }
  orb::raise_system(e.repository_id, e.minor, static_cast<CompletionStatus>(e.completed), detail);
}

}  // namespace orbweaver
