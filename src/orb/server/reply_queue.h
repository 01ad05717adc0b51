#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "orb/server/service_budget.h"
#include "transport/transport.h"

namespace orbweaver::orb {

/// Sends the messages of a server connection whose requests are served concurrently: one at a time, in the
/// order of `send`, without blocking the caller. A message that the client does not read at once, and those
/// behind it, are sent by a thread created for them. Thread-safe.
class ReplyQueue {
 public:
  using Message = std::vector<std::uint8_t>;

  /// All references outlive this. `on_sent` is called, by any thread and without locks of this class, when no
  /// message waits for the client any longer, and when the queue is no longer full.
  ReplyQueue(transport::Channel& channel, const Peer& peer, ServiceBudget::Share& budget,
             std::size_t full_messages, std::function<void()> on_sent);
  /// pre: the channel is closed.
  ~ReplyQueue();

  /// Sends a message, or queues it behind others. An error ends the connection. If another thread is sending,
  /// the message is queued, and an error shows in the channel.
  Result<void> send(Message message);
  /// Sends a message that is not a reply, after those that are being sent. Waits for the client until
  /// `deadline`; if the others have not been sent then, it is queued behind them.
  void send_control(Bytes message, transport::Deadline deadline);

  /// Whether messages wait for a client that does not read.
  bool waiting() const noexcept { return waiting_.load(std::memory_order_acquire); }
  /// Whether `full_messages` messages or more were queued, and have not all been sent since: threads that
  /// serve requests add replies faster than one thread sends them.
  bool full() const noexcept { return full_.load(std::memory_order_acquire); }
  /// Waits for the thread of waiting messages, which has ended or is about to. pre: not `waiting`.
  void join();

  /// As ReplySender::sequence and ReplySender::reply_bytes, for messages that wait for the client.
  std::uint32_t sequence() const noexcept { return sequence_.load(std::memory_order_relaxed); }
  std::size_t reply_bytes() const noexcept { return reply_bytes_.load(std::memory_order_relaxed); }

 private:
  enum class Outcome : std::uint8_t { sent, would_block, failed };
  /// Sends the queued messages; `sending_` is set. Without `may_block` stops at a message that would block.
  Outcome send_queued(std::unique_lock<std::mutex>& lock, bool may_block);
  Outcome send_now(const Message& message);
  Outcome send_blocking(const Message& message);
  /// Completes `send_queued`: starts the thread if a message would block.
  Result<void> finish(Outcome outcome, std::unique_lock<std::mutex>& lock);
  Result<void> send_in_thread();
  void run();
  void count(std::size_t bytes) noexcept;
  void note_length() noexcept;
  void drop_all() noexcept;
  void end_sending() noexcept;

  transport::Channel& channel_;
  const Peer& peer_;
  ServiceBudget::Share& budget_;
  const std::size_t full_messages_;
  const std::function<void()> on_sent_;
  std::mutex mutex_;  // guards messages_, bytes_, sending_ and the replies of budget_
  std::list<Message> messages_;
  std::size_t bytes_ = 0;
  bool sending_ = false;          // a thread sends the messages, and removes them
  std::condition_variable sent_;  // `sending_` has become false
  std::atomic<bool> waiting_{false};
  std::atomic<bool> full_{false};  // set with the lock held
  std::mutex thread_mutex_;
  std::thread thread_;
  // Hints for shutdown and time limits; impose no order.
  std::atomic<std::uint32_t> sequence_{0};
  std::atomic<std::size_t> reply_bytes_{0};
};

}  // namespace orbweaver::orb
