#include <orbweaver/stub.h>

#include <algorithm>
#include <new>
#include <span>

#include "base/log.h"
#include "base/printable.h"
#include "giop/request.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/system_exceptions.h"
#include "platform/process_identity.h"

namespace orbweaver {

using CORBA::CompletionStatus;
using transport::Deadline;

namespace {

// Below, a gathered write costs more than a copy (docs/bench.md).
constexpr std::size_t kLeastApart = std::size_t{16} << 10;
constexpr std::uint16_t kMaxAttempts = 10;  // forwards and reconnects of one call

Reference& reference_of(const CORBA::Object& target) {
  if (target._reference() == nullptr) {
    throw CORBA::BAD_INV_ORDER(minor::kLocalObject, CompletionStatus::COMPLETED_NO,
                               "a local object has no remote operations");
  }
  return *target._reference();
}

}  // namespace

/// What Invocation does on the wire, out of the public header's sight.
struct Invocation::Wire {
  /// The exception that a reply carries, or the forward that it asks for. Returns true to begin again.
  static bool not_results(Invocation& call, giop::ReplyHeader& header, cdr::Decoder& in);
  static void raise_user(Invocation& call, cdr::Decoder& in);
  [[noreturn]] static void raise_system(const giop::ReplyHeader& header, cdr::Decoder& in);
  /// The connection failed. Returns if the call may begin again, else raises. `sent`: the server may have the request.
  static void recover(Invocation& call, const Error& error, bool sent);
  static void count_attempt(Invocation& call);
  /// The deadlines, and whether a one-way waits: by policies, where anybody has set some.
  static void keep_policies(Invocation& call, Deadline& deadline, Deadline& sending);
  /// Is a request of at most so many bytes, the header's among them, to be sent while it is encoded? One too large for any
  /// message is not: it is refused before anything is sent.
  static bool goes_in_fragments(const Invocation& call, const Road& road, std::size_t bytes, std::size_t header) noexcept {
    const orb::Options& options = call.target_->core().options();
    if (bytes <= options.max_fragment_bytes || options.max_fragment_bytes == 0) [[likely]] return false;
    return call.patient_ && road.version >= giop::kGiop12 && header + 8 <= options.max_fragment_bytes &&
           bytes <= options.max_message_bytes && call.connection_->takes_fragments();
  }
  /// Room for a one-way that waits for nobody. Remedy::wait: there is none.
  static Result<MutableBytes> claim_at_once(ClientConnection& connection, std::size_t bytes);
  /// A two-way call whose connection awaits the reply to another takes one of its own where it must not wait.
  static void step_aside(Invocation& call, const Road& road, Deadline deadline);
  static void step_back(Invocation& call) noexcept;
  /// The first request of a connection tells how characters are sent.
  static void begin_with_code_sets(Invocation& call, const Road& road, giop::Body body) {
    call.telling_ = true;
    const giop::ServiceContext code_sets{giop::context_id::kCodeSets, road.code_sets};
    encode_header(call, road, {&code_sets, 1}, body);
  }
  static void encode_header(Invocation& call, const Road& road, std::span<const giop::ServiceContext> contexts,
                            giop::Body body) {
    const std::string_view name{call.operation_.name, call.operation_.name_bytes};
    if (road.target.addressing == giop::Addressing::key) {
      giop::encode_request(*call.out_, road.version, call.request_id_, call.response_flags_, road.object_key, name, contexts, body);
    } else {
      giop::encode_request(*call.out_, call.request_id_, call.response_flags_, road.target, name, contexts, body);
    }
  }
  /// What the header has that was encoded beforehand.
  static std::uint8_t usual_flags(const Operation& operation) noexcept {
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
  if (sending_) abandon();
  if (receiving_) {
    connection_->release(Wire::reply(*this));
    Wire::reply(*this).~Reply();
  }
  if (spare_) Wire::step_back(*this);
  std::launder(reinterpret_cast<orb::CallScope*>(scope_))->~CallScope();
}

cdr::Encoder& Invocation::begin(cdr::Bound arguments) {
  Deadline deadline = target_->core().call_deadline(), sending = deadline;
  awaits_ = !operation_.oneway;
  response_flags_ = Wire::usual_flags(operation_);
  if (orb::call_policies_in_use.load(std::memory_order_relaxed)) [[unlikely]] Wire::keep_policies(*this, deadline, sending);
  deadline_ns_ = deadline.ns;
  sending_ns_ = sending.ns;
  for (;;) {
    if (spare_) [[unlikely]] Wire::step_back(*this);
    const Binding& binding = target_->binding(sending);
    connection_ = binding.connection.get();
    const Road& road = binding.road;
    if (deadline.is_never() && !road.transport->reliable()) [[unlikely]] {
      // A lost request or reply must not be waited for.
      deadline = Deadline::in_ms(target_->core().options().udp_call_timeout_ms);
      deadline_ns_ = deadline.ns;
      sending.ns = sending_ns_ = std::min(sending.ns, deadline.ns);
    }
    if (connection_->awaits_replies() && awaits_) [[unlikely]] Wire::step_aside(*this, road, sending);
    const giop::Body body = arguments.bytes == 0 ? giop::Body::empty : giop::Body::follows;
    const giop::RequestTemplate& beginning = binding.request(operation_, body);
    const std::size_t contexts = road.code_sets.empty() ? 0 : 32 + road.code_sets.size();
    BlockSender* const blocks = arguments.bytes >= kSmallestBlockView ? connection_->block_sender() : nullptr;
    describing_ = arguments.apart != 0 && blocks != nullptr && !copying_;
    const std::size_t bound = describing_ ? arguments.bytes - arguments.apart : arguments.bytes;
    const std::size_t whole = beginning.size() + contexts + bound;
    const bool in_fragments = Wire::goes_in_fragments(*this, road, whole, beginning.size() + contexts);
    const std::size_t wanted = in_fragments ? target_->core().options().max_fragment_bytes : whole;
    auto room = patient_ ? connection_->claim(wanted, sending) : Wire::claim_at_once(*connection_, wanted);
    if (!room) [[unlikely]] {
      if (!patient_ && room.error().remedy == Remedy::wait) {
        log::debug([&] { return std::string("dropped, for want of room: ") + operation_.name; });
        dropped_ = true;
        out_.emplace(reply_, 0);  // what is encoded goes nowhere
        return *out_;
      }
      Wire::recover(*this, room.error(), false);
      continue;
    }
    sending_ = true;
    request_id_ = connection_->next_request_id();
    out_.emplace(room->data(), in_fragments ? wanted : room->size());
    if (blocks != nullptr) out_->blocks(blocks);
    if (in_fragments) [[unlikely]] {
      out_->overflow_to(connection_->send_in_fragments(room->first(wanted), request_id_, awaits_, sending));
    }
    if (arguments.bytes >= kLeastApart && connection_->borrows(awaits_)) out_->may_leave_apart(kLeastApart);
    if (contexts != 0 && !connection_->code_sets_sent()) [[unlikely]] {
      Wire::begin_with_code_sets(*this, road, body);
    } else if (response_flags_ != Wire::usual_flags(operation_)) [[unlikely]] {
      Wire::encode_header(*this, road, {}, body);
    } else if (beginning.number() != 0) [[likely]] {
      connection_->put_head(*room, {beginning.number(), beginning.octets()});
      beginning.encode_rest(*out_, request_id_);
    } else {
      beginning.encode(*out_, request_id_);
    }
    return *out_;
  }
}

bool Invocation::exchange() {
  if (dropped_) [[unlikely]] return true;
  if (!giop::finish_message(*out_)) [[unlikely]] {
    if (connection_->fragment_failed()) {
      sending_ = false;
      auto sent = connection_->commit(0, awaits_, Deadline{sending_ns_});
      Wire::recover(*this, sent.error(), false);
      return false;
    }
    if (describing_) {  // the peer holds too many blocks, or this one has come too far
      abandon();
      return !(copying_ = true);
    }
    throw CORBA::MARSHAL(minor::kEncodingOverran, CompletionStatus::COMPLETED_NO,
                         std::string("the arguments of ") + operation_.name + " changed while they were sent");
  }
  sending_ = false;
  if (const auto& apart = out_->apart(); apart.bytes != 0) {
    connection_->borrow(apart.at, {static_cast<const std::uint8_t*>(apart.from), apart.bytes});
  }
  const std::uint64_t position = connection_->position();
  if (auto sent = connection_->commit(out_->size(), awaits_, Deadline{sending_ns_}); !sent) [[unlikely]] {
    // The server has not all of it, and never will. A part that left before the deadline took the connection with it, and
    // with that perhaps calls before this one. Where nothing has left, the connection is as before.
    Wire::recover(*this, sent.error(), sent.error().remedy == Remedy::wait && !connection_->usable());
    return false;
  }
  if (!awaits_) {
    if (target_->is_local()) target_->mark_queued_oneway();
    return true;
  }

  auto* reply = new (reply_) ClientConnection::Reply;
  receiving_ = true;
  if (auto arrived = connection_->await(request_id_, Deadline{deadline_ns_}, *reply); !arrived) [[unlikely]] {
    receiving_ = false;
    reply->~Reply();
    const bool lost = arrived.error().remedy == Remedy::reconnect;
    Wire::recover(*this, arrived.error(), !lost || !connection_->never_arrived(position));
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
  if (reply->header.type != giop::MessageType::reply || !giop::decode_reply(*in_, reply->header.version, header)) {
    raise_reply_malformed();
  }
  if (header.status == giop::ReplyStatus::no_exception) [[likely]] return true;
  if (!Wire::not_results(*this, header, *in_)) return true;
  connection_->release(*reply);
  receiving_ = false;
  reply->~Reply();
  return false;
}

void Invocation::abandon() noexcept {
  sending_ = false;
  if (telling_) connection_->code_sets_unsent();
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

void Invocation::Wire::keep_policies(Invocation& call, Deadline& deadline, Deadline& sending) {
  orb::Core& core = call.target_->core();
  const orb::CallPolicies policies = call.target_->policies().of_calls().over(
      core.policy_current()->policies().of_calls().over(core.policy_manager()->of_calls()));
  const auto from_now = [](std::int64_t ns) { return ns == 0 ? Deadline::never() : Deadline::in_ns(ns); };
  if (policies.roundtrip_ns) deadline = from_now(*policies.roundtrip_ns);
  sending = deadline;
  if (policies.request_ns) sending.ns = std::min(sending.ns, from_now(*policies.request_ns).ns);
  if (!policies.scope || !call.operation_.oneway) return;
  call.awaits_ = *policies.scope >= orb::SyncScope::server;
  call.patient_ = *policies.scope != orb::SyncScope::none;
  if (call.awaits_) {
    call.response_flags_ = *policies.scope == orb::SyncScope::server ? giop::response::kWithServer : giop::response::kWithTarget;
  }
}

/// A receiver that is only a moment behind, or another sender in between, is no reason to drop it.
Result<MutableBytes> Invocation::Wire::claim_at_once(ClientConnection& connection, std::size_t bytes) {
  auto room = connection.claim(bytes, Deadline{0});
  if (room || room.error().remedy != Remedy::wait) return room;
  platform::sleep_ms(1);
  return connection.claim(bytes, Deadline{0});
}

void Invocation::Wire::step_aside(Invocation& call, const Road& road, Deadline deadline) {
  orb::Core& core = call.target_->core();
  const bool nested = orb::serves_connection();
  const std::size_t most = nested ? core.options().nested_connections : core.options().connections_per_peer - 1;
  if (most == 0) return;
  // The reply to a call that was given up may lie there, and nobody reads it.
  call.connection_->look_for_end();
  if (!call.connection_->awaits_replies()) return;
  ClientConnection* const spare = nested ? &core.spares().take(road, most, deadline)
                                         : core.spares().take_if_free(road, most, deadline);
  if (spare == nullptr) return;
  call.connection_ = spare;
  call.spare_ = true;
}

void Invocation::Wire::step_back(Invocation& call) noexcept {
  call.spare_ = false;
  call.target_->core().spares().give_back(*call.connection_);
}

void Invocation::Wire::count_attempt(Invocation& call) {
  if (++call.attempts_ <= kMaxAttempts) return;
  throw CORBA::TRANSIENT(minor::kTooManyForwards, CompletionStatus::COMPLETED_NO,
                         "the object kept moving, or its server kept asking for more of its reference: " + std::to_string(kMaxAttempts) + " attempts");
}

void Invocation::Wire::recover(Invocation& call, const Error& error, bool sent) {
  // A call that ended at its deadline may have been answered before the server closed.
  const bool not_done = !sent || (error.remedy == Remedy::reconnect && call.connection_->closed_in_order());
  if (error.remedy == Remedy::reconnect) call.target_->core().drop_ended();
  if (error.remedy == Remedy::reconnect && not_done) {
    // Nothing of this call was done: a new connection, once; a server that is gone is told of by `binding`.
    if (call.attempts_ < 2) {
      ++call.attempts_;
      return;
    }
    throw CORBA::TRANSIENT(minor::kPeerClosed, CompletionStatus::COMPLETED_NO, error.message);
  }
  orb::raise_for(error, not_done ? CompletionStatus::COMPLETED_NO : CompletionStatus::COMPLETED_MAYBE);
}

bool Invocation::Wire::not_results(Invocation& call, giop::ReplyHeader& header, cdr::Decoder& in) {
  switch (header.status) {
    case giop::ReplyStatus::user_exception:
      raise_user(call, in);
      break;
    case giop::ReplyStatus::system_exception:
      raise_system(header, in);
    case giop::ReplyStatus::location_forward:
    case giop::ReplyStatus::location_forward_perm: {
      giop::Ior ior;
      if (!giop::decode(in, ior)) call.raise_reply_malformed();
      count_attempt(call);
      call.target_->forward(std::move(ior));
      return true;
    }
    case giop::ReplyStatus::needs_addressing_mode: {
      giop::Addressing wanted;
      if (!giop::decode(in, wanted)) call.raise_reply_malformed();
      count_attempt(call);
      call.target_->address_by(wanted);
      return true;
    }
    default:
      break;
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
