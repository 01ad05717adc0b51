#include "orb/server/deferred_replies.h"

#include <utility>

#include "base/catch_and_log.h"
#include "giop/reply.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/server/server_connection.h"

namespace orbweaver::orb {

std::uint64_t DeferredReplies::add(std::uint32_t request_id, giop::Version version, std::size_t limit,
                                   std::unique_ptr<ServiceBudget::Share> share) {
  if (in_progress_->fetch_add(1, std::memory_order_relaxed) >= limit) {
    in_progress_->fetch_sub(1, std::memory_order_relaxed);
    return 0;
  }
  const std::lock_guard lock(mutex_);
  requests_.emplace(++last_number_, Request{request_id, version, std::move(share)});
  return last_number_;
}

bool DeferredReplies::contains(std::uint64_t number) const noexcept {
  const std::lock_guard lock(mutex_);
  return requests_.count(number) != 0;
}

bool DeferredReplies::empty() const noexcept {
  const std::lock_guard lock(mutex_);
  return requests_.empty();
}

void DeferredReplies::send(std::uint64_t number, Message reply) {
  std::unordered_map<std::uint64_t, Request>::node_type ended;  // destroyed without the lock
  std::unique_lock lock(mutex_);
  ended = requests_.extract(number);
  if (!ended) return;
  in_progress_->fetch_sub(1, std::memory_order_relaxed);
  send(lock, std::move(reply));
  lock.unlock();
}

/// Unlocks while the message is sent: that calls the connection.
void DeferredReplies::send(std::unique_lock<std::mutex>& lock, Message message) {
  if (closed_) return;
  if (replies_ == nullptr) {
    early_.push_back(std::move(message));
    return;
  }
  ++sending_;
  lock.unlock();
  // After an error the connection ends by itself: its channel has failed.
  catch_and_log("sending a reply", [&] { (void)replies_->send(std::move(message)); });
  lock.lock();
  if (--sending_ == 0) sent_.notify_all();
}

void DeferredReplies::open(ReplyQueue& replies) {
  std::unique_lock lock(mutex_);
  replies_ = &replies;
  while (!early_.empty()) {
    for (Message& message : std::exchange(early_, {})) send(lock, std::move(message));
  }
}

void DeferredReplies::reply_to_all(const std::function<Message(std::uint32_t, giop::Version)>& exception) {
  std::unique_lock lock(mutex_);
  const auto all = std::exchange(requests_, {});
  in_progress_->fetch_sub(all.size(), std::memory_order_relaxed);
  for (const auto& [number, request] : all) send(lock, exception(request.id, request.version));
}

void DeferredReplies::close() noexcept {
  std::unordered_map<std::uint64_t, Request> all;
  std::unique_lock lock(mutex_);
  closed_ = true;
  all.swap(requests_);
  in_progress_->fetch_sub(all.size(), std::memory_order_relaxed);
  early_.clear();
  sent_.wait(lock, [&] { return sending_ == 0; });
  replies_ = nullptr;
  lock.unlock();
}

/// A system exception as the reply to requests that are open when the connection is closed.
ReplyQueue::Message closed_reply(std::uint32_t request_id, giop::Version version) {
  const giop::SystemException body{"IDL:omg.org/CORBA/COMM_FAILURE:1.0", minor::kPeerLost,
                                   giop::Completed::maybe};
  ReplyQueue::Message message(giop::reply_bound() + giop::bound_of(body));
  cdr::Encoder out(message.data(), message.size());
  giop::encode_reply(out, version, request_id, giop::ReplyStatus::system_exception, {}, giop::Body::follows);
  giop::encode(out, body);
  giop::finish_message(out);
  message.resize(out.size());
  return message;
}

std::shared_ptr<DeferredReplies> ServerConnection::deferred_replies() {
  const std::lock_guard lock(deferred_mutex_);
  if (deferred_ == nullptr) {
    deferred_ = std::make_shared<DeferredReplies>(core_.deferred_requests());
    if (concurrent_ != nullptr) deferred_->open(concurrent_->replies());
    has_deferred_.store(true, std::memory_order_release);
  }
  return deferred_;
}

bool ServerConnection::awaits_deferred_replies() const noexcept {
  return has_deferred_.load(std::memory_order_acquire) && !deferred_->empty();
}

void ServerConnection::reply_to_deferred() {
  if (has_deferred_.load(std::memory_order_acquire)) deferred_->reply_to_all(&closed_reply);
}

/// After the first request whose reply is deferred: from now on, replies are sent by any thread.
ServerConnection::ServeResult ServerConnection::begin_deferring(bool is_usable) {
  owe_replies();
  concurrent_ = make_concurrent_requests();
  is_concurrent_.store(true, std::memory_order_relaxed);
  replies_.end_request();
  replies_.use_queue(concurrent_->replies());
  is_plain_connection_ = false;
  concurrent_->begin_turn([] {});  // the state is `serving`
  TurnEnd end(*this);
  channel_->release();
  service_.end_request();
  over_budget_ = false;
  deferred_->open(concurrent_->replies());
  const ServeResult result = end.of(is_usable ? ServeResult::request : ServeResult::ended);
  // `serve` continues in serve_with_queues.
  return result == ServeResult::request && may_block_ == MayBlock::yes ? ServeResult::parked : result;
}

}  // namespace orbweaver::orb
