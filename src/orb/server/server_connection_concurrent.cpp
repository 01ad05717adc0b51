/// ServerConnection: requests that are not served in the turn that reads them (-ORBThreads unordered:N, and
/// the request queues of objects).
#include "base/catch_and_log.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/server/server_connection.h"
#include "orb/server/upcall.h"
#include "orb/server/upcall_scope.h"
#include "platform/asymmetric_fence.h"
#include "platform/process_identity.h"

namespace orbweaver::orb {

using transport::Deadline;

bool ServerConnection::begin_turn() {
  // S1, as in begin_serving. The state is `serving` until no turn and no request is in progress.
  concurrent_->begin_turn([this] { state_.store(State::serving, std::memory_order_relaxed); });
  platform::light_fence();
  if (!closing_.load(std::memory_order_acquire)) return true;
  concurrent_->drop_held();
  concurrent_->end_turn();  // sends CloseConnection, unless a request is in work: then that does
  return false;
}

ServerConnection::ServeResult ServerConnection::end_closing() {
  channel_->release();  // there may be another turn
  return handler_ != nullptr && concurrent_->in_progress() ? ServeResult::parked : ServeResult::ended;
}

ServerConnection::ServeResult ServerConnection::serve_turn(Deadline deadline) {
  switch (concurrent_->next()) {
    case ConcurrentRequests::Next::detached: return ServeResult::detached;
    case ConcurrentRequests::Next::nothing:
      // No further message is read. But space that a queue has reserved for the parked one is used: others
      // wait for it.
      if (!turn_is_parked_ || target_queue_ == nullptr) return ServeResult::parked;
      break;
    case ConcurrentRequests::Next::message: break;
  }
  if (turn_is_parked_) return serve_parked_turn();
  const auto frame = channel_->receive(deadline);
  if (!frame) {
    if (frame.error().kind == ErrorKind::timed_out) return ServeResult::no_message;
    log_end(frame.error());
    return ServeResult::ended;
  }
  if (!begin_turn()) {
    put_back(*frame);
    return end_closing();
  }
  TurnEnd end(*this);
  return end.of(serve_read_message(*frame));
}

/// Tries the parked message again.
ServerConnection::ServeResult ServerConnection::serve_parked_turn() {
  turn_is_parked_ = false;
  if (closing_.load(std::memory_order_acquire)) {  // the message counts as not read
    if (space_ != nullptr) space_->cancel();
    put_back(parked_message_);
    concurrent_->drop_held();
    concurrent_->end_turn();
    assembler_.release();
    return end_closing();
  }
  TurnEnd end(*this);
  ServeResult result;
  if (target_queue_ != nullptr) {
    result = queue_message();
  } else {
    result = handle_parked_message();
  }
  if (!served_.is_held) assembler_.release();
  return end.of(result);
}

bool ServerConnection::detach(Bytes message, const giop::MessageHeader& header) {
  std::unique_ptr<ServiceBudget::Share> share;
  if (message.size() >= ServiceBudget::kMinCountedBytes) {
    // Before the copy. Counts no replies: `end` is never called.
    share = std::make_unique<ServiceBudget::Share>(core_.endpoints().incoming().service_budget(),
                                                   [](const std::string&) {});
    share->count_for(peer_);
    over_budget_ = !share->begin_request(message.size());
    if (over_budget_) return false;
  }
  std::list<DetachedRequest> request;
  request.emplace_back(message, header, served_.block_receiver, replies_, std::move(share));
  owe_replies();
  concurrent_->detach(std::move(request));
  detached_ = true;
  return true;
}

bool ServerConnection::serve(DetachedRequest& request) {
  cdr::Decoder in = giop::open_body(request.message(), request.header(), &request.scratch);
  if (request.header().type == giop::MessageType::locate_request)
    return locate(in, request.header(), request.served);
  giop::RequestHeader header;
  if (!giop::decode_request(in, request.header().version, header)) {
    send_message_error();
    close_with_warning(giop::malformed("request header", in).message);
    return false;
  }
  request.served.is_held = false;
  request.served.is_plain = core_.request_interception() == nullptr;
  request.resume_count = concurrent_->resume_count();  // before the lookup of the servant
  return Upcall(*this, request.served, request.header().version, header, in, nullptr).serve(core_);
}

void ServerConnection::check_cancelled(std::uint32_t request_id) {
  if (!concurrent_->take_cancelled(request_id)) return;
  throw CORBA::TRANSIENT(minor::kCancelled, CORBA::CompletionStatus::COMPLETED_NO,
                         "cancelled by the client before it was begun");
}

void ServerConnection::serve_detached() noexcept {
  std::list<DetachedRequest> request = concurrent_->take();
  bool is_usable = false;
  catch_and_log("connection closed", [&] {
    const UpcallScope upcall(peer_);
    is_usable = serve(request.front());
  });
  if (is_usable && request.front().served.is_held) return concurrent_->hold(std::move(request));
  if (!is_usable) channel_->close();
  request.clear();
  concurrent_->end_request();
}

void ServerConnection::close_concurrent_by(Deadline deadline) noexcept {
  if (concurrent_ == nullptr) return;
  if (std::exchange(turn_is_parked_, false)) {  // its message counts as not read
    if (space_ != nullptr) space_->cancel();
    concurrent_->end_turn();
  }
  concurrent_->drop_held();
  while (concurrent_->replies().waiting() && !deadline.passed()) platform::sleep_ms(1);
  if (concurrent_->replies().waiting()) return leave_behind();
  concurrent_->replies().join();
}

}  // namespace orbweaver::orb
