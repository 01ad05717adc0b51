#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/fair_eviction.h"

namespace orbweaver {

/// Limits the memory of incomplete messages over all connections of an ORB. Ends connections that hold too
/// much, of the peer that holds most (base/fair_eviction.h), or that wait too long for the rest of a message.
/// Memory that connections keep for their next message is counted separately, and may be half as much again.
/// A complete message is not counted: its connection receives no other one at the same time, and the ORB
/// counts requests in service (orb/server/service_budget.h). Thread-safe.
class ReceiveBudget {
 public:
  explicit ReceiveBudget(std::size_t max_bytes) noexcept : max_bytes_(max_bytes) {}
  ReceiveBudget(const ReceiveBudget&) = delete;
  ReceiveBudget& operator=(const ReceiveBudget&) = delete;

  /// Ends the connection for the reason `why`. Called by any thread, at most once. It must not take a lock
  /// under which a share is made, changed or destroyed.
  using End = std::function<void(const std::string& why)>;
  /// Whether bytes have arrived that the receiving thread has not read yet, so that the delay is on this
  /// side. Called by any thread.
  using HasInput = std::function<bool()>;
  /// Whether messages of the connection must arrive in time. `no` for transports with loss, where a message
  /// may stay incomplete.
  enum class Timed : bool { no, yes };

  /// The share of one receive buffer of a connection, which holds one message at a time. Its functions are
  /// called by the receiving thread, except for `receiving`. Without a budget (null) it counts nothing.
  class Share : private FairEviction::Holder {
   public:
    Share(std::shared_ptr<ReceiveBudget> budget, End end, Timed timed = Timed::yes, HasInput has_input = {});
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    /// Sets the peer for which the share is counted; before the call, an unknown host.
    void count_for(const Peer& peer);

    /// Counts an incomplete message: `arrived` bytes in `memory` bytes of storage. False: the ORB's limit is
    /// exceeded, or this connection has been ended in favour of others. `since_ns`: when the message started;
    /// 0: at the first call after `complete` or `done`.
    bool hold(std::size_t arrived, std::size_t memory, std::int64_t since_ns = 0) noexcept;
    /// Stops counting the message, which is complete. `cached` bytes of its storage are unused and kept.
    void complete(std::size_t cached) noexcept;
    /// Counts `memory` bytes kept for the next message, after the message has been processed. False: the
    /// limit of cached bytes is exceeded; free them, and call this again with 0.
    bool done(std::size_t memory) noexcept;
    /// Whether `done` has to be called: the share counts bytes.
    bool counts() const noexcept { return counts_; }
    /// Whether a message has been received in part. Any thread.
    bool receiving() const noexcept { return since_ns_.load(std::memory_order_relaxed) != 0; }

   private:
    friend class ReceiveBudget;
    static void count(std::atomic<std::size_t>& own, std::atomic<std::size_t>& all,
                      std::size_t memory) noexcept;

    const std::shared_ptr<ReceiveBudget> budget_;
    const End end_;
    const Timed timed_;
    const HasInput has_input_;
    bool counts_ = false;
    std::atomic<std::int64_t> since_ns_{0};  // when the incomplete message started; 0: none
    std::atomic<std::size_t> arrived_{0};
    std::atomic<std::size_t> memory_{0};  // as counted in bytes_
    std::atomic<std::size_t> cached_{0};  // as counted in cached_bytes_
    std::atomic<bool> ended_{false};
  };

  /// Ends connections whose incomplete message started more than `timeout_ms` ago, plus a second for each
  /// kMinBytesPerSecond bytes that have arrived. Any thread that may wait for connections to end.
  void end_timed_out(std::int64_t timeout_ms) noexcept;
  /// The rate at which a message must arrive after its time-out.
  static constexpr std::size_t kMinBytesPerSecond = 1024;

  /// Sets a callback for the first incomplete message after each call of `receiving`: `end_timed_out` has to
  /// be called periodically from then on. The callback must not take a lock under which a share is changed.
  /// Null: no callback.
  void on_receiving(std::function<void()> call);
  /// Whether a connection that has not been ended waits for the rest of a message, with Timed::yes. Any
  /// thread.
  bool receiving() noexcept;

  /// The memory of incomplete messages.
  std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }
  /// The memory kept for later messages: at most half of `max_bytes`, plus that of messages being served.
  std::size_t cached_bytes() const noexcept { return cached_bytes_.load(std::memory_order_relaxed); }
  std::size_t max_bytes() const noexcept { return max_bytes_; }

 private:
  bool evict_longest_waiting(const Share& wanting) noexcept;
  void notify_receiving() noexcept;
  void end(Share& share, const std::string& why);
  static Share& share_of(FairEviction::Holder* holder) noexcept { return static_cast<Share&>(*holder); }

  const std::size_t max_bytes_;
  std::atomic<std::size_t> bytes_{0};         // the sum of all memory_
  std::atomic<std::size_t> cached_bytes_{0};  // the sum of all cached_
  std::atomic<bool> notified_{true};          // on_receiving_ has been called since `receiving`, or is null
  std::mutex mutex_;                          // guards the members below and the lifetime of the shares
  std::function<void()> on_receiving_;
  FairEviction eviction_;  // all shares
};

}  // namespace orbweaver
