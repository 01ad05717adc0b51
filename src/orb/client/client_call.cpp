#include "orb/client/client_call.h"

#include <orbweaver/detail/stub.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/log.h"
#include "orb/client/async_replies.h"
#include "orb/client/send_queueing.h"
#include "orb/minor_codes.h"
#include "orb/system_exceptions.h"

namespace orbweaver::orb {

using CORBA::CompletionStatus;
using transport::Deadline;

[[gnu::cold]] void raise_encoding_overran(const Operation& operation) {
  throw CORBA::MARSHAL(minor::kEncodingOverran, CompletionStatus::COMPLETED_NO,
                       std::string("the arguments of ") + operation.name + " changed while they were sent");
}

ClientCall::ClientCall(Reference& target, const Operation& operation, cdr::Bound arguments,
                       ArgumentWriter writer, ResultReader reader, Deadline deadline, Policies policies)
    : target_(policies == Policies::current ? reference_of_call(target) : target), operation_(operation),
      arguments_(arguments), writer_(writer), reader_(reader) {
  options_.deadline = options_.send_deadline = deadline;
  options_.expects_reply = !operation.oneway;
  if (policies == Policies::current && call_policies_in_use.load(std::memory_order_relaxed)) [[unlikely]]
    apply_policies(target_, operation, options_);
}

void ClientCall::observe(RequestObserver& observer) {
  observer_ = &observer;
  if (std::exchange(options_.is_default, false)) options_.response_flags = default_response_flags(operation_);
}

bool ClientCall::attempt() {
  const Binding& binding = target_.binding(options_.send_deadline);
  std::optional<RequestPlan> uncached;  // of this call: its thread may serve, and call, before it is sent
  const RequestPlan& plan = binding.request(operation_, body_of(arguments_), uncached);
  ConnectionLease connection(*binding.connection.get());
  ClaimedRequest request;
  std::size_t bytes = plan.header.size();
  const bool is_plain = arguments_.bytes < plan.plain_below && options_.is_default &&
                        !connection->replies().has_outstanding() && !connection->sender().offers();
  const Preparation prepared = is_plain ? prepare_plain(binding, plan, *connection, request, bytes)
                                        : prepare_special(binding, plan, connection, request, bytes);
  if (prepared != Preparation::ready) [[unlikely]]
    return prepared == Preparation::done;
  const std::uint64_t send_position = connection->sender().send_position();
  if (const auto sent = request.commit(bytes, options_); !sent) [[unlikely]] {
    if (options_.never_waits && sent.error().kind == ErrorKind::timed_out && connection->usable())
      return queue(binding, plan, *connection) == Preparation::done;
    return recover_from_send(*connection, sent.error());
  }
  if (offer_.number != 0) connection->sender().mark_offered(offer_.number);
  // Also with SYNC_WITH_SERVER: its reply precedes the upcall.
  const bool precedes_upcall =
      !options_.expects_reply ||
      (!options_.is_default && options_.response_flags == giop::response::kWithServer);
  if (precedes_upcall && target_.is_collocated()) target_.mark_queued_oneway();
  if (!options_.expects_reply) return true;
  return receive_reply(*connection, request.id(), options_.deadline, target_, operation_, reader_,
                       [&](Result<Bytes>* first) {
                         return receive_other_reply(*connection, request.id(), send_position, first);
                       });
}

void ClientCall::complete() {
  while (!attempt()) prepare_next_attempt();
}

bool ClientCall::receive_other_reply(ClientConnection& connection, std::uint32_t id,
                                     std::uint64_t send_position, Result<Bytes>* first) {
  ReplyReader& replies = connection.reader();
  HeldReply reply(replies);
  const auto arrived = first == nullptr
                           ? replies.await(id, options_.deadline, *reply)
                           : replies.await_further(std::move(*first), id, options_.deadline, *reply);
  if (!arrived) return recover_from_await(connection, arrived.error(), id, send_position);
  if (!reply->plain) return take_reply(*reply);
  if (reader_.read == nullptr) return true;
  cdr::Decoder in(reply->message.data(), reply->message.size(), false);
  in.skip(ReplyReader::kPlainReplyBytes);
  read_results(target_, operation_, reader_, in);
  return true;
}

/// Claims and encodes a plain request: see RequestPlan. `bytes` is the size of the plan's header, and then of
/// the message.
inline ClientCall::Preparation ClientCall::prepare_plain(const Binding& binding, const RequestPlan& plan,
                                                         ClientConnection& connection,
                                                         ClaimedRequest& request, std::size_t& bytes) {
  RequestSender& sender = connection.sender();
  const auto room = sender.claim(bytes + plan.code_sets_bytes + arguments_.bytes, options_.send_deadline);
  if (!room) [[unlikely]] {
    recover(connection, room.error(), Progress::not_received);
    return Preparation::repeat;
  }
  request.take(sender);
  if (request.needs_code_sets(plan)) [[unlikely]] {
    bytes = write_first_request(*room, binding.endpoint, request.id());
    return Preparation::ready;
  }
  bytes = encode_plain_request(*room, plan, operation_, writer_);
  giop::RequestTemplate::complete(room->data(), bytes, request.id());
  return Preparation::ready;
}

/// Encodes a plain request with the CodeSets context. Returns the size of the message.
std::size_t ClientCall::write_first_request(MutableBytes room, const Endpoint& endpoint,
                                            std::uint32_t id) const {
  cdr::Encoder out(room.data(), room.size());
  encode_header(out, endpoint, id, true);
  if (writer_.write != nullptr) writer_.write(writer_.closure, out);
  if (!giop::finish_message(out)) raise_encoding_overran(operation_);
  return out.size();
}

void ClientCall::encode_header(cdr::Encoder& out, const Endpoint& endpoint, std::uint32_t id,
                               bool has_code_sets) const {
  std::array<giop::ServiceContext, 3> own;
  std::size_t count = 0;
  if (has_code_sets) own[count++] = {giop::context_id::kCodeSets, endpoint.code_sets};
  if (offer_.number != 0) own[count++] = {giop::context_id::kBiDirIiop, offer_.context};
  std::array<std::uint8_t, 4> priority;
  if (sends_priority(endpoint)) {
    priority = giop::encode_priority(options_.priority);
    own[count++] = {giop::context_id::kRtPriority, priority};
  }
  std::span<const giop::ServiceContext> contexts(own.data(), count);
  std::vector<giop::ServiceContext> all;
  if (observer_ != nullptr) {
    all = views_of(observer_->request_contexts());
    all.insert(all.end(), contexts.begin(), contexts.end());
    contexts = all;
  }
  const std::string_view name{operation_.name, operation_.name_bytes};
  const std::uint8_t flags =
      options_.is_default ? default_response_flags(operation_) : options_.response_flags;
  if (endpoint.target.addressing == giop::AddressingDisposition::key) {
    giop::encode_request(out, endpoint.version, id, flags, endpoint.object_key, name, contexts,
                         body_of(arguments_));
  } else {
    giop::encode_request(out, id, flags, endpoint.target, name, contexts, body_of(arguments_));
  }
}

std::size_t ClientCall::header_bound(const RequestPlan& plan) const noexcept {
  std::size_t bytes = plan.header.size() + plan.code_sets_bytes;
  constexpr std::size_t kAlignment = 8;  // of the body
  if (offer_.number != 0) bytes += 8 + 2 * kAlignment + offer_.context.size();
  if (options_.priority != giop::kNoPriority) bytes += 8 + 2 * kAlignment;
  if (observer_ == nullptr) return bytes;
  for (const OwnedServiceContext& context : observer_->request_contexts())
    bytes += 8 + kAlignment + context.data.size();
  return bytes + kAlignment;
}

/// Claims and encodes a request that is not plain: large, in fragments or with blocks, over an unreliable
/// transport or in an earlier version of GIOP, with a policy, or while another reply is outstanding. Sets the
/// size of the message.
[[gnu::noinline]] ClientCall::Preparation ClientCall::prepare_special(const Binding& binding,
                                                                      const RequestPlan& plan,
                                                                      ConnectionLease& connection,
                                                                      ClaimedRequest& request,
                                                                      std::size_t& message_bytes) {
  const Endpoint& endpoint = binding.endpoint;
  Core& core = target_.core();
  if (options_.bound_to != nullptr && options_.bound_to != &binding) raise_not_reconnected({});
  if (options_.is_banded && announces_band(binding)) return Preparation::repeat;
  if (options_.deadline.is_never() && !endpoint.transport->traits().reliable) {
    // The request or the reply may be lost: the wait is limited. A repeated attempt may use another
    // transport.
    unlimited_ = options_;
    options_.deadline = Deadline::in_ms(core.options().udp_call_timeout_ms);
    options_.send_deadline.ns = std::min(options_.send_deadline.ns, options_.deadline.ns);
  }
  if (options_.expects_reply && async_ == nullptr && !options_.stays &&
      connection->replies().has_outstanding())
    connection.avoid_outstanding_replies(core, endpoint, options_.send_deadline);
  RequestSender& sender = connection->sender();
  offer_ = sender.offers() && endpoint.version >= giop::kGiop12 ? sender.unsent_offer()
                                                                : RequestSender::UnsentOffer();

  SpecialRequest special;
  if (arguments_.bytes >= kMinBlockViewBytes) special.blocks = sender.block_sender();
  special.describes_blocks =
      arguments_.in_blocks != 0 && special.blocks != nullptr && block_arguments_ == BlockArguments::describe;
  const std::size_t header_bytes = header_bound(plan);
  const std::size_t bound =
      header_bytes + arguments_.bytes - (special.describes_blocks ? arguments_.in_blocks : 0);
  special.in_fragments = should_fragment(sender, endpoint, bound, header_bytes);
  const std::size_t claim_bytes = special.in_fragments ? core.options().max_fragment_bytes : bound;
  const auto room =
      options_.never_waits
          ? sender.claim_at_once(claim_bytes, Deadline{async_ == nullptr ? 0 : Deadline::in_ms(1).ns})
          : sender.claim(claim_bytes, options_.send_deadline);
  if (!room) {
    if (options_.never_waits && room.error().kind == ErrorKind::timed_out)
      return async_ != nullptr ? Preparation::must_wait : queue(binding, plan, *connection);
    recover(*connection, room.error(), Progress::not_received);
    return Preparation::repeat;
  }
  request.take(sender);
  if (async_ != nullptr) {
    connection->async_replies(core).add(*async_, request.id(), sender.send_position(), endpoint.version,
                                        options_.deadline.ns);
    is_registered_ = true;
  }
  special.room = special.in_fragments ? room->first(claim_bytes) : *room;
  return encode_special(special, binding, plan, *connection, request, message_bytes);
}

/// Tells the server of the band of the reference, if the connection over which it was told has been lost.
/// False: there is no need; else the call is to be attempted again.
[[gnu::cold, gnu::noinline]] bool ClientCall::announces_band(const Binding& binding) {
  constexpr std::uint8_t kMaxAnnouncements = 4;
  if (async_ != nullptr || options_.stays || target_.bands()->is_announced(target_, binding)) return false;
  if (announcements_ == kMaxAnnouncements) {
    throw CORBA::TRANSIENT(minor::kPeerClosed, CompletionStatus::COMPLETED_NO,
                           "the server has closed each of " + std::to_string(kMaxAnnouncements) +
                               " connections after it was told of their band");
  }
  ++announcements_;
  target_.bands()->announce(target_);
  return true;
}

ClientCall::Preparation ClientCall::encode_special(const SpecialRequest& special, const Binding& binding,
                                                   const RequestPlan& plan, ClientConnection& connection,
                                                   ClaimedRequest& request, std::size_t& message_bytes) {
  RequestSender& sender = connection.sender();
  cdr::Encoder out(special.room.data(), special.room.size());
  if (special.blocks != nullptr) out.blocks(special.blocks);
  if (special.in_fragments) {
    out.set_overflow_handler(
        sender.send_in_fragments(special.room, request.id(), options_.expects_reply, options_.send_deadline));
  }
  if (arguments_.bytes >= kMinGatherBytes && sender.gathers(options_.expects_reply))
    out.allow_out_of_line(kMinGatherBytes);
  write_header(out, request, binding, plan);
  if (writer_.write != nullptr) writer_.write(writer_.closure, out);
  if (!giop::finish_message(out)) {
    if (sender.fragment_failed()) {
      const auto sent = request.commit(0, options_);
      recover(connection, sent.error(), Progress::not_received);
    } else if (special.describes_blocks) {  // too many grants held, or too many processes on its way
      block_arguments_ = BlockArguments::copy;
    } else {
      raise_encoding_overran(operation_);
    }
    return Preparation::repeat;
  }
  if (const auto& segment = out.out_of_line(); segment.bytes != 0)
    sender.attach_segment(segment.at, {static_cast<const std::uint8_t*>(segment.from), segment.bytes});
  message_bytes = out.size();
  return Preparation::ready;
}

/// Writes the request header, from the plan where possible.
void ClientCall::write_header(cdr::Encoder& out, ClaimedRequest& request, const Binding& binding,
                              const RequestPlan& plan) const {
  if (request.needs_code_sets(plan)) {
    encode_header(out, binding.endpoint, request.id(), true);
  } else if (offer_.number != 0 || sends_priority(binding.endpoint)) {
    encode_header(out, binding.endpoint, request.id(), false);
  } else if (!options_.is_default &&
             (observer_ != nullptr || options_.response_flags != default_response_flags(operation_))) {
    encode_header(out, binding.endpoint, request.id(), false);
  } else {
    plan.header.encode(out, request.id());
  }
}

/// Whether a request of at most `bytes` bytes, of which `header_bytes` are the header, is sent in fragments.
/// A request larger than -ORBMaxMessageBytes is not: it is rejected before anything is sent.
bool ClientCall::should_fragment(const RequestSender& sender, const Endpoint& endpoint, std::size_t bytes,
                                 std::size_t header_bytes) const noexcept {
  const Options& options = target_.core().options();
  return options.max_fragment_bytes != 0 && bytes > options.max_fragment_bytes && !options_.never_waits &&
         endpoint.version >= giop::kGiop12 && header_bytes + 8 <= options.max_fragment_bytes &&
         bytes <= options.max_message_bytes && sender.allows_fragments();
}

/// Queues a call with SYNC_NONE that cannot be sent without a wait.
ClientCall::Preparation ClientCall::queue(const Binding& binding, const RequestPlan& plan,
                                          ClientConnection& connection) try {
  RequestSender& sender = connection.sender();
  const std::size_t bound = header_bound(plan) + arguments_.bytes;
  const std::size_t limit = target_.core().options().max_message_bytes;
  if (bound > limit) {
    throw CORBA::IMP_LIMIT(
        minor::kMessageTooLarge, CompletionStatus::COMPLETED_NO,
        "a message of " + std::to_string(bound) + " bytes; -ORBMaxMessageBytes is " + std::to_string(limit));
  }
  if (!sender.queued_requests().has_room(bound)) return drop(), Preparation::done;
  QueuedRequest request = encode_queued(binding, plan, sender);
  const Result<bool> queued = sender.queued_requests().push(request);
  if (!queued) {
    recover(connection, queued.error(), Progress::not_received);
    return Preparation::repeat;
  }
  if (!*queued) return drop(), Preparation::done;
  if (target_.is_collocated()) target_.mark_queued_oneway();
  return Preparation::done;
} catch (const std::bad_alloc&) {
  raise_no_memory();
}

QueuedRequest ClientCall::encode_queued(const Binding& binding, const RequestPlan& plan,
                                        RequestSender& sender) const {
  QueuedRequest request;
  request.has_leading_id = plan.header.has_leading_id();
  request.has_code_sets = plan.code_sets_bytes != 0 && !sender.has_sent_code_sets();
  request.message.resize(header_bound(plan) + arguments_.bytes);
  cdr::Encoder out(request.message.data(), request.message.size());
  if (request.has_code_sets || observer_ != nullptr || offer_.number != 0 ||
      sends_priority(binding.endpoint)) {
    encode_header(out, binding.endpoint, 0, request.has_code_sets);
  } else {
    plan.header.encode(out, 0);
  }
  if (writer_.write != nullptr) writer_.write(writer_.closure, out);
  if (!giop::finish_message(out)) raise_encoding_overran(operation_);
  request.message.resize(out.size());
  return request;
}

/// Drops a call with SYNC_NONE whose queue is full, or raises TRANSIENT: see OneWayQueueFullPolicy.
void ClientCall::drop() const {
  check_arguments();
  OneWayQueueCounters& counters = oneway_queue_counters();
  if (options_.raises_if_full) {
    counters.rejected_full.fetch_add(1, std::memory_order_relaxed);
    throw CORBA::TRANSIENT(
        minor::kOneWayQueueFull, CompletionStatus::COMPLETED_NO,
        std::string("queue full: ") + operation_.name +
            " (-ORBTune oneway-queue-requests, oneway-queue-bytes, oneway-queue-total-bytes)");
  }
  counters.dropped_full.fetch_add(1, std::memory_order_relaxed);
  log::debug([&] { return std::string("dropped: queue full: ") + operation_.name; });
}

/// Raises the exception of invalid arguments: they are encoded, into nothing.
void ClientCall::check_arguments() const {
  std::uint8_t none = 0;
  cdr::Encoder discarded(&none, 0);
  if (writer_.write != nullptr) writer_.write(writer_.closure, discarded);
}

/// Handles a reply that is not plain. Returns what `attempt` returns.
bool ClientCall::take_reply(Reply& reply) {
  cdr::Decoder in = giop::open_body(reply.message, reply.header);
  in.broker(&target_.core());
  giop::ReplyHeader header;
  if (reply.header.type != giop::MessageType::reply || !giop::decode_reply(in, reply.header.version, header))
    raise_reply_malformed(in);
  if (observer_ != nullptr) [[unlikely]]
    observer_->reply_received(header);
  switch (header.status) {
    case giop::ReplyStatus::no_exception:
      if (reader_.read != nullptr) read_results(target_, operation_, reader_, in);
      return true;
    case giop::ReplyStatus::user_exception: raise_user_exception(operation_, in);
    case giop::ReplyStatus::system_exception: take_system_exception(header, in); return false;
    case giop::ReplyStatus::location_forward:
    case giop::ReplyStatus::location_forward_perm: {
      giop::Ior ior;
      if (!giop::decode(in, ior)) raise_reply_malformed(in);
      const auto how = header.status == giop::ReplyStatus::location_forward_perm
                           ? Reference::Forward::permanent
                           : Reference::Forward::temporary;
      if (options_.rebind != Rebind::transparent) {
        target_.keep_forward(std::move(ior), how);
        raise_forward_not_followed();
      }
      count_attempt();
      if (observer_ != nullptr) observer_->forwarded(ior);
      target_.forward(std::move(ior), how);
      return false;
    }
    case giop::ReplyStatus::needs_addressing_mode: {
      giop::AddressingDisposition disposition;
      if (!giop::decode(in, disposition)) raise_reply_malformed(in);
      count_attempt();
      target_.set_addressing_disposition(disposition);
      return false;
    }
  }
  raise_reply_malformed(in);
}

/// Raises the exception, unless the object at the end of a forward has gone: then the call is to be repeated
/// at the reference's own endpoints, once (CORBA 3.3 part 2, 9.4.3.2).
void ClientCall::take_system_exception(const giop::ReplyHeader& header, cdr::Decoder& in) try {
  raise_system_exception(header, in);
} catch (const CORBA::OBJECT_NOT_EXIST& e) {
  if (e.completed() != CompletionStatus::COMPLETED_NO || returned_from_forward_ ||
      options_.rebind != Rebind::transparent || !target_.drop_forward())
    throw;
  returned_from_forward_ = true;
  count_attempt();
}

void ClientCall::count_attempt() {
  if (++attempts_ > kMaxAttempts) raise_too_many_forwards();
}

/// Handles a failure of the connection: returns false if the call may be repeated, else raises.
[[gnu::cold, gnu::noinline]] bool ClientCall::recover(const ClientConnection& connection, const Error& error,
                                                      Progress progress) {
  // A call that timed out may have been answered before the server closed.
  const bool not_done = progress == Progress::not_received ||
                        (error.kind == ErrorKind::disconnected && connection.closed_orderly());
  if (error.kind == ErrorKind::disconnected && async_ == nullptr) target_.core().connections().drop_closed();
  if (error.kind == ErrorKind::disconnected && not_done) {
    // The call was not executed: it is repeated once over a new connection. If the server is gone, `binding`
    // raises.
    if (options_.rebind == Rebind::no_reconnect) raise_not_reconnected(error.message);
    if (attempts_ < 2) {
      ++attempts_;
      return false;
    }
    throw CORBA::TRANSIENT(minor::kPeerClosed, CompletionStatus::COMPLETED_NO, error.message);
  }
  raise_for(error, not_done ? CompletionStatus::COMPLETED_NO : CompletionStatus::COMPLETED_MAYBE);
}

[[gnu::cold, gnu::noinline]] bool ClientCall::recover_from_send(const ClientConnection& connection,
                                                                const Error& error) {
  const bool sent_a_part = error.kind == ErrorKind::timed_out && !connection.usable();
  return recover(connection, error, sent_a_part ? Progress::maybe_received : Progress::not_received);
}

/// No reply arrived to the request `id`, sent at `send_position`. If the time is over, it is cancelled: a
/// server that has not begun it need not execute it.
[[gnu::cold, gnu::noinline]] bool ClientCall::recover_from_await(ClientConnection& connection,
                                                                 const Error& error, std::uint32_t id,
                                                                 std::uint64_t send_position) {
  if (error.kind == ErrorKind::timed_out && connection.usable()) {
    const Binding* const binding = target_.current_binding();
    connection.sender().cancel(binding == nullptr ? giop::kGiop12 : binding->endpoint.version, id);
  }
  const bool not_received =
      error.kind == ErrorKind::disconnected && connection.sender().was_not_received(send_position);
  return recover(connection, error, not_received ? Progress::not_received : Progress::maybe_received);
}

}  // namespace orbweaver::orb
