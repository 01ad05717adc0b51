// ClientCall: sending and completing asynchronous calls.
#include "orb/client/async_replies.h"
#include "orb/client/client_call.h"

namespace orbweaver::orb {

using transport::Deadline;

ClientCall::ClientCall(AsyncCall& call)
    : target_(*call.reference_), operation_(*call.operation_),
      arguments_(call.bound()), writer_{[](const void* of, cdr::Encoder& out) {
                                          static_cast<const AsyncCall*>(of)->encode(out);
                                        },
                                        &call},
      reader_{[](const void* of, cdr::Decoder& in) {
                const_cast<AsyncCall*>(static_cast<const AsyncCall*>(of))->decode(in);
              },
              &call},
      attempts_(call.attempts_), returned_from_forward_(call.returned_from_forward_), async_(&call) {
  options_.deadline.ns = call.deadline_ns_;
  options_.send_deadline.ns = call.send_deadline_ns_;
  options_.rebind = static_cast<Rebind>(call.rebind_);
  options_.priority = call.priority_;
  if (call.observer_ != nullptr) observe(*call.observer_);
}

void ClientCall::save_progress() const noexcept {
  async_->attempts_ = attempts_;
  async_->returned_from_forward_ = returned_from_forward_;
}

/// Sends the small plain request (RequestPlan) of a call without policies, as `invoke` does, if that needs no
/// wait. False: the call is to be made otherwise, and nothing has been sent.
bool ClientCall::start_small(AsyncCall& call, Reference& target) {
  const Binding* const binding = target.usable_binding();
  if (binding == nullptr || call.observer_ != nullptr) return false;
  const Operation& operation = *call.operation_;
  const cdr::Bound arguments = call.bound();
  const RequestPlan* const plan = binding->cached_request(operation, body_of(arguments));
  if (plan == nullptr || arguments.bytes >= plan->small_below) return false;
  ClientConnection& connection = *binding->connection.get();
  RequestSender& sender = connection.sender();
  AsyncReplies& replies = connection.async_replies(target.core());
  if (replies.has_queued() || !sender.sends_undivided(kSmallRequestBytes)) return false;
  alignas(8) std::uint8_t room[kSmallRequestBytes];
  const std::size_t bytes = encode_plain_request(
      MutableBytes(room, plan->header.size() + arguments.bytes), *plan, operation,
      {[](const void* of, cdr::Encoder& out) { static_cast<const AsyncCall*>(of)->encode(out); }, &call});
  if (!sender.try_lock_to_send(plan->code_sets_bytes != 0)) return false;
  const std::uint32_t id = sender.next_request_id();
  try {
    replies.add(call, id, sender.send_position(), binding->endpoint.version, call.deadline_ns_);
  } catch (...) {
    sender.unlock();
    throw;
  }
  giop::RequestTemplate::complete(room, bytes, id);
  if (!sender.send({room, bytes}, true, Deadline{0})) [[unlikely]]
    return !replies.take_back(call);  // if it has ended with the connection, there is nothing more to do
  if (target.is_collocated()) target.mark_queued_oneway();
  return true;
}

void ClientCall::start(AsyncCall& call) {
  Reference& target = reference_of_call(*call.reference_);
  if (&target != call.reference_) {
    target._add_ref();
    std::exchange(call.reference_, &target)->_remove_ref();
  }
  CallOptions options;
  options.deadline = options.send_deadline = target.core().call_deadline();
  const bool has_policies = call_policies_in_use.load(std::memory_order_relaxed);
  if (has_policies) apply_policies(target, *call.operation_, options);
  call.deadline_ns_ = options.deadline.ns;
  call.send_deadline_ns_ = options.send_deadline.ns;
  call.rebind_ = static_cast<std::uint8_t>(options.rebind);
  call.priority_ = options.priority;
  ClientConnectionPtr queued_at;  // its connection may change meanwhile
  {
    const CallScope scope;  // keeps the binding and its connection alive
    if (!has_policies && start_small(call, target)) return;
    ClientCall sending(call);
    AsyncSending sent = AsyncSending::repeat;
    while (sent == AsyncSending::repeat) sent = sending.attempt_asynchronously(false);
    if (sent == AsyncSending::done) return;
    const std::lock_guard lock(target.core().async_calls().mutex());
    queued_at = call.replies_->share_connection();
  }
  queued_at->async_replies(target.core()).wait_until_sent(call);
}

void ClientCall::send(AsyncCall& call) {
  const CallScope scope;
  ClientCall sending(call);
  while (sending.attempt_asynchronously(true) == AsyncSending::repeat) {
  }
}

/// Sends the request, or queues it if that needs a wait and `waits` is false. The progress is saved while no
/// other thread knows of the call.
ClientCall::AsyncSending ClientCall::attempt_asynchronously(bool waits) {
  if (unlimited_) options_ = *std::exchange(unlimited_, std::nullopt);
  const Binding& binding = target_.binding(options_.send_deadline);
  std::optional<RequestPlan> uncached;
  const RequestPlan& plan = binding.request(operation_, body_of(arguments_), uncached);
  ConnectionLease connection(*binding.connection.get());
  AsyncReplies& replies = connection->async_replies(target_.core());
  save_progress();
  if (!waits && replies.has_queued()) {
    replies.queue(*async_);
    return AsyncSending::queued;
  }
  options_.never_waits = !waits;
  ClaimedRequest request;
  std::size_t bytes = plan.header.size();
  Preparation prepared;
  try {
    prepared = prepare_special(binding, plan, connection, request, bytes);
  } catch (...) {
    // Either this exception ends the call, or the connection has.
    if (is_registered_ && !replies.take_back(*async_)) return AsyncSending::done;
    throw;
  }
  if (prepared == Preparation::ready) {
    const auto sent = request.commit(bytes, options_);
    if (sent) {
      if (offer_.number != 0) connection->sender().mark_offered(offer_.number);
      // A later collocated call waits until this one has been begun, as over any transport.
      if (target_.is_collocated()) target_.mark_queued_oneway();
      return AsyncSending::done;
    }
    if (!replies.take_back(*async_)) return AsyncSending::done;
    is_registered_ = false;
    if (waits || sent.error().kind != ErrorKind::timed_out || !connection->usable()) {
      recover_from_send(*connection, sent.error());
      return AsyncSending::repeat;
    }
  } else if (prepared == Preparation::repeat) {
    if (std::exchange(is_registered_, false) && !replies.take_back(*async_)) return AsyncSending::done;
    return AsyncSending::repeat;
  }
  replies.queue(*async_);
  return AsyncSending::queued;
}

bool ClientCall::take_reply(AsyncCall& call, const giop::MessageHeader& header, Bytes message) {
  ClientCall received(call);
  Reply reply;
  reply.header = header;
  reply.message = message;
  const bool complete = received.take_reply(reply);
  if (!complete) received.save_progress();
  return complete;
}

bool ClientCall::recover(AsyncCall& call, const ClientConnection& connection, const Error& error) {
  ClientCall lost(call);
  const bool not_received = connection.sender().was_not_received(call.send_position_);
  lost.recover(connection, error, not_received ? Progress::not_received : Progress::maybe_received);
  lost.save_progress();
  return true;
}

}  // namespace orbweaver::orb
