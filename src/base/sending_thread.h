#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "platform/thread.h"

namespace orbweaver {

/// A queue of messages to another program, and the thread that sends them in their order. At most kMaxWaiting
/// messages wait; then the oldest are dropped. Thread-safe.
template <class Message>
class SendingThread {
 public:
  static constexpr std::size_t kMaxWaiting = 1024;

  /// `send` is called in the thread, which has this name. A message for which it returns false is tried again
  /// some time later. It must not throw.
  SendingThread(std::string name, std::function<bool(const Message&)> send)
      : name_(std::move(name)), send_(std::move(send)), thread_([this] { serve(); }) {}
  /// Drops the messages that wait.
  ~SendingThread() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  SendingThread(const SendingThread&) = delete;
  SendingThread& operator=(const SendingThread&) = delete;

  /// Does not wait.
  void push(Message message) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() == kMaxWaiting) waiting_.pop_front();
    waiting_.push_back(std::move(message));
    changed_.notify_all();
  }
  /// Waits until all messages have been sent, at most `timeout_ms`. True if they have.
  bool flush(int timeout_ms) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                             [&] { return waiting_.empty() && !sending_; });
  }

 private:
  static constexpr std::chrono::milliseconds kRetry{300};

  void serve() {
    platform::name_this_thread(name_.c_str());
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return stop_ || !waiting_.empty(); });
      if (stop_) return;
      Message message = std::move(waiting_.front());
      waiting_.pop_front();
      sending_ = true;
      lock.unlock();
      const bool sent = send_(message);
      lock.lock();
      sending_ = false;
      if (!sent) {
        if (waiting_.size() < kMaxWaiting) waiting_.push_front(std::move(message));
        changed_.wait_for(lock, kRetry, [&] { return stop_; });
      }
      changed_.notify_all();
    }
  }

  const std::string name_;
  const std::function<bool(const Message&)> send_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Message> waiting_;
  bool sending_ = false;
  bool stop_ = false;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace orbweaver
