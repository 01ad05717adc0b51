#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "testing/giop_builder.h"
#include "transport/transport.h"

namespace orbtest {

/// Script and record of a ScriptedChannel, shared by the test and its channels. Thread-safe; the functions
/// are set while no other thread uses the channel.
struct ChannelScript {
  using Deadline = orbweaver::Deadline;
  using Sent = orbweaver::Result<void>;

  /// Peer::address of the channel. Before the channel is made.
  std::string peer_address = "scripted";
  /// Called in `claim`.
  std::function<void()> on_claim;
  /// What `commit`, `queue` and `flush` return; empty: success. `commit` may close the channel.
  std::function<Sent(const Octets&frame)> on_commit, on_queue;
  std::function<Sent()> on_flush;
  /// Called once, inside of `close`.
  std::function<void()> on_close;
  /// What `undelivered_bytes` returns.
  std::atomic<std::size_t> undelivered_bytes{0};

  /// Adds a frame for the channel to receive.
  void arrives(const Octets& frame) {
    const std::lock_guard lock(mutex_);
    incoming_.push_back(frame);
    changed_.notify_all();
  }
  /// While it is full, `claim` waits until its deadline: the peer does not read.
  void fill(bool full = true) {
    const std::lock_guard lock(mutex_);
    full_ = full;
    changed_.notify_all();
  }
  /// Number of frames that have not been received.
  std::size_t waiting() {
    const std::lock_guard lock(mutex_);
    return incoming_.size();
  }
  /// The frames that were committed successfully, in order.
  std::vector<Octets> frames() {
    const std::lock_guard lock(mutex_);
    return frames_;
  }
  /// The deadlines of all claims and commits, in order.
  std::vector<Deadline> deadlines() {
    const std::lock_guard lock(mutex_);
    return deadlines_;
  }
  bool closed() {
    const std::lock_guard lock(mutex_);
    return closed_;
  }
  void close() noexcept {
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(closed_, true)) return;
      changed_.notify_all();
    }
    if (on_close) on_close();
  }

 private:
  friend class ScriptedChannel;
  std::mutex mutex_;  // guards the rest
  std::condition_variable changed_;
  std::deque<Octets> incoming_;
  std::vector<Octets> frames_;
  std::vector<Deadline> deadlines_;
  bool full_ = false;
  bool closed_ = false;
};

/// A channel without a peer, which does what its ChannelScript states.
class ScriptedChannel final : public orbweaver::transport::Channel,
                              private orbweaver::transport::BatchedSending,
                              private orbweaver::transport::ReceiveStatus {
 public:
  using Bytes = orbweaver::Bytes;
  using Deadline = orbweaver::Deadline;
  using Error = orbweaver::Error;
  using MutableBytes = orbweaver::MutableBytes;
  using ErrorKind = orbweaver::ErrorKind;
  template <class T>
  using Result = orbweaver::Result<T>;

  /// It cannot be polled, also if `batches_replies`.
  explicit ScriptedChannel(std::shared_ptr<ChannelScript> script, bool batches_replies = false)
      : script_(std::move(script)) {
    capabilities_.claim_detects_disconnect = true;
    capabilities_.batches_replies = batches_replies;
    capabilities_.batching = this;
    capabilities_.receive_status = this;
  }

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override {
    if (script_->on_claim) script_->on_claim();
    std::unique_lock lock(script_->mutex_);
    while (script_->full_ && !script_->closed_) {
      if (deadline.passed()) return Error{ErrorKind::timed_out, "the peer does not read"};
      script_->changed_.wait_for(lock, std::chrono::milliseconds(10));
    }
    if (script_->closed_) return gone();
    script_->deadlines_.push_back(deadline);
    room_.assign((bytes + 7) / 8, 0);
    return MutableBytes(reinterpret_cast<std::uint8_t*>(room_.data()), bytes);
  }
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override {
    return passes(script_->on_commit, bytes, deadline);
  }
  void abandon() noexcept override {}

  Result<Bytes> receive(Deadline deadline) noexcept override {
    std::unique_lock lock(script_->mutex_);
    for (;;) {
      if (script_->closed_) return gone();
      if (!script_->incoming_.empty()) return Bytes(script_->incoming_.front());
      if (deadline.passed()) return Error{ErrorKind::timed_out, "nothing has arrived"};
      script_->changed_.wait_for(lock, std::chrono::milliseconds(10));
    }
  }
  void release() noexcept override {
    const std::lock_guard lock(script_->mutex_);
    if (!script_->incoming_.empty()) script_->incoming_.pop_front();
  }
  void close() noexcept override { script_->close(); }
  const orbweaver::Peer& peer() const noexcept override { return peer_; }

 private:
  Result<void> queue(std::size_t bytes, Deadline deadline) noexcept override {
    return passes(script_->on_queue, bytes, deadline);
  }
  Result<void> flush(Deadline) noexcept override {
    return script_->on_flush ? script_->on_flush() : Result<void>();
  }
  std::size_t undelivered_bytes() const noexcept override { return script_->undelivered_bytes; }
  static Error gone() { return Error{ErrorKind::disconnected, "the channel is closed"}; }
  Result<void> passes(const std::function<Result<void>(const Octets&)>& judge, std::size_t bytes,
                      Deadline deadline) {
    const auto* const at = reinterpret_cast<const std::uint8_t*>(room_.data());
    const Octets frame(at, at + bytes);
    {
      const std::lock_guard lock(script_->mutex_);
      if (script_->closed_) return gone();
      script_->deadlines_.push_back(deadline);
    }
    if (judge) {
      if (auto judged = judge(frame); !judged) return judged;
    }
    const std::lock_guard lock(script_->mutex_);
    script_->frames_.push_back(frame);
    return {};
  }

  const std::shared_ptr<ChannelScript> script_;
  const orbweaver::Peer peer_{script_->peer_address};
  std::vector<std::uint64_t> room_;  // words: a claim is aligned to 8
};

}  // namespace orbtest
