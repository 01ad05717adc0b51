#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "giop/message.h"
#include "orb/server/reply_queue.h"
#include "orb/server/service_budget.h"

namespace orbweaver::orb {

/// Requests of one connection whose replies their servants give later. Shared by the connection, which may
/// end first, and those replies. Thread-safe.
class DeferredReplies {
 public:
  using Message = ReplyQueue::Message;

  /// `in_progress` counts the requests of the ORB.
  explicit DeferredReplies(std::shared_ptr<std::atomic<std::size_t>> in_progress)
      : in_progress_(std::move(in_progress)) {}
  ~DeferredReplies() { close(); }

  /// Registers a request, until its reply. Returns its number, 0 if `limit` requests of the ORB are
  /// registered. `share`, if not null, counts its bytes until then.
  std::uint64_t add(std::uint32_t request_id, giop::Version version, std::size_t limit,
                    std::unique_ptr<ServiceBudget::Share> share);
  /// Whether a request waits for its reply, and the connection has not ended.
  bool contains(std::uint64_t number) const noexcept;
  bool empty() const noexcept;
  /// Sends the reply to a request, unless the connection has ended. Errors end the connection.
  void send(std::uint64_t number, Message reply);

  /// Replies are sent from now on, to `replies`, until `close`; before, they are kept.
  void open(ReplyQueue& replies);
  /// Replies to all requests with `exception(request id, version)`, before the connection is closed in order.
  void reply_to_all(const std::function<Message(std::uint32_t, giop::Version)>& exception);
  /// The connection has ended: later replies are discarded. Returns when none is being sent.
  void close() noexcept;

 private:
  struct Request {
    std::uint32_t id;
    giop::Version version;
    std::unique_ptr<ServiceBudget::Share> share;
  };
  void send(std::unique_lock<std::mutex>& lock, Message message);

  const std::shared_ptr<std::atomic<std::size_t>> in_progress_;
  mutable std::mutex mutex_;  // guards the rest
  std::condition_variable sent_;
  std::unordered_map<std::uint64_t, Request> requests_;
  std::uint64_t last_number_ = 0;
  ReplyQueue* replies_ = nullptr;
  std::vector<Message> early_;  // before `open`
  int sending_ = 0;             // threads that use replies_
  bool closed_ = false;
};

}  // namespace orbweaver::orb
