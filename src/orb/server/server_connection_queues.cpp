/// ServerConnection: requests in the queues of objects (orbweaver::RequestQueuePolicy).
#include "base/catch_and_log.h"
#include "orb/core.h"
#include "orb/server/request_queue.h"
#include "orb/server/server_connection.h"
#include "orb/server/upcall_scope.h"
#include "platform/process_identity.h"

namespace orbweaver::orb {

using transport::Deadline;

namespace {
constexpr std::int64_t kUnreadQueuedRepliesTimeoutMs = 1000;  // of Reactor::finish, too
}

/// A request of this connection in a queue. Keeps the connection alive: in a reactor by a reference, else the
/// connection's thread waits for it.
class ServerConnection::RequestInQueue final : public ObjectRequest {
 public:
  RequestInQueue(ServerConnection& connection, Bytes message, const giop::MessageHeader& header,
                 std::shared_ptr<RequestQueue> queue)
      : handler_(connection.handler_ == nullptr ? nullptr : connection.handler_->shared_from_this()),
        connection_(connection),
        request_(std::in_place, message, header, connection.served_.block_receiver, connection.replies_,
                 nullptr, connection.handler_ == nullptr || queue->pool() != nullptr, std::move(queue)) {
    connection_.concurrent_->begin_queued();
  }
  ~RequestInQueue() override {
    request_.reset();
    // The reactor may have ended: the connection is closed when this request no longer keeps it alive.
    if (handler_ != nullptr && !connection_.core_.running()) [[unlikely]]
      connection_.wait_for_unread_replies();
    connection_.concurrent_->end_queued();  // last: the connection's thread may destroy it
  }
  bool serve() noexcept override { return connection_.serve_queued(*request_); }

 private:
  const std::shared_ptr<EventHandler> handler_;
  ServerConnection& connection_;
  std::optional<DetachedRequest> request_;
};

std::shared_ptr<RequestQueue> ServerConnection::queue_of(const giop::Target& target) {
  if (served_.queue == nullptr || target.needs_key || !core_.endpoints().request_queues().in_use())
    return nullptr;
  return core_.finder()->request_queue(target.object_key);
}

bool ServerConnection::holds_for_queue(const giop::Target& target, Pools pools) {
  target_queue_ = queue_of(target);
  if (target_queue_ != nullptr && pools == Pools::no && target_queue_->pool() != nullptr)
    target_queue_ = nullptr;
  if (target_queue_ == nullptr) return false;
  served_.is_held = true;
  served_.is_plain = false;
  return true;
}

ServerConnection::ServeResult ServerConnection::queue_first_message() {
  concurrent_ = make_concurrent_requests();
  is_concurrent_.store(true, std::memory_order_relaxed);
  replies_.use_queue(concurrent_->replies());
  is_plain_connection_ = false;
  concurrent_->begin_turn([] {});  // the state is `serving`
  TurnEnd end(*this);
  const ServeResult result = end.of(queue_message());
  // `serve` continues in serve_with_queues.
  return result == ServeResult::request && may_block_ == MayBlock::yes ? ServeResult::parked : result;
}

ServerConnection::ServeResult ServerConnection::queue_message() {
  using Reservation = RequestQueue::Space::Reservation;
  const std::int16_t priority = target_queue_->pool() == nullptr ? kNoPriority : parked_priority();
  // While it waits, it is not in service: others that are served are not rejected.
  service_.end_request();
  over_budget_ = false;
  if (space_ == nullptr) space_ = std::make_unique<RequestQueue::Space>([this] { concurrent_->resume(); });
  const Reservation reservation = space_->reserve(target_queue_, parked_message_.size(), priority);
  if (reservation == Reservation::waiting)
    return count_waiting() ? ServeResult::parked : reject_parked_message();
  waiting_ = nullptr;
  if (reservation == Reservation::full) {
    pool_is_full_ = true;
    return reject_parked_message();
  }
  std::shared_ptr<RequestQueue> queue = std::move(target_queue_);
  if (reservation == Reservation::closed) {
    if (parked_message_.size() >= ServiceBudget::kMinCountedBytes && !is_unordered())
      count_request(parked_message_.size());
    return handle_parked_message();
  }
  owe_replies();
  auto request = std::make_unique<RequestInQueue>(*this, parked_message_, parked_header_, std::move(queue));
  served_.is_held = false;
  channel_->release();
  space_->put(std::move(request));
  return ServeResult::request;
}

std::int16_t ServerConnection::parked_priority() noexcept {
  cdr::Decoder in = giop::open_body(parked_message_, parked_header_);
  giop::RequestHeader request;
  return giop::decode_request(in, parked_header_.version, request)
             ? target_queue_->priority_of(request.contexts)
             : kNoPriority;
}

bool ServerConnection::count_waiting() {
  if (waiting_ != nullptr || parked_message_.size() < ServiceBudget::kMinCountedBytes) return true;
  // Counts no replies: `end` is never called.
  waiting_ = std::make_unique<ServiceBudget::Share>(core_.endpoints().request_queues().waiting(),
                                                    [](const std::string&) {});
  waiting_->count_for(peer_);
  if (waiting_->begin_request(parked_message_.size())) return true;
  waiting_ = nullptr;
  return false;
}

ServerConnection::ServeResult ServerConnection::reject_parked_message() {
  space_->cancel();
  target_queue_ = nullptr;
  served_.queue = nullptr;
  over_budget_ = true;
  const ServeResult result = handle_parked_message();
  served_.queue = &target_queue_;
  pool_is_full_ = false;
  return result;
}

bool ServerConnection::serve_queued(DetachedRequest& request) noexcept {
  bool is_usable = false;
  catch_and_log("connection closed", [&] {
    const UpcallScope upcall(peer_);
    is_usable = serve(request);
  });
  if (is_usable && request.served.is_held) return false;
  if (!is_usable) channel_->close();
  return true;
}

void ServerConnection::serve_with_queues() {
  for (;;) {
    const ServeResult result = serve_turn(Deadline::never());
    if (result == ServeResult::parked)
      concurrent_->wait();
    else if (result != ServeResult::request)
      break;
  }
  concurrent_->wait_for_queued();  // their replies are sent before the connection is closed
}

void ServerConnection::wait_for_unread_replies() noexcept {
  const auto deadline = Deadline::in_ms(kUnreadQueuedRepliesTimeoutMs);
  while (concurrent_->replies().waiting() && !deadline.passed()) platform::sleep_ms(1);
}

void ServerConnection::wait_for_queued() noexcept {
  if (concurrent_ != nullptr) concurrent_->wait_for_queued();
}

}  // namespace orbweaver::orb
