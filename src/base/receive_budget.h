#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/fair_room.h"

namespace orbweaver {

/// Counts the storage that an ORB holds of messages which have not all arrived, over all of its connections,
/// and ends connections that hold too much or wait for the rest too long: of the peer that holds most
/// (base/fair_room.h). Storage that connections keep for
/// their next message is counted apart, and may be half as much again. A message that has all arrived is not
/// counted: a connection receives none beside it, and its ORB counts what is being served
/// (orb/service_budget.h). Thread-safe.
class ReceiveBudget {
 public:
  explicit ReceiveBudget(std::size_t max_bytes) noexcept : max_bytes_(max_bytes) {}
  ReceiveBudget(const ReceiveBudget&) = delete;
  ReceiveBudget& operator=(const ReceiveBudget&) = delete;

  /// Ends the connection, told why. Any thread; at most once. It takes no lock under which a share is made, changed or
  /// destroyed.
  using End = std::function<void(const std::string& why)>;
  /// Has more arrived than the receiving thread has looked at, so that it is this end that is late? Any
  /// thread.
  using HasInput = std::function<bool()>;
  /// A message of a connection without loss has to arrive in time. One of which a part may be lost may stay incomplete.
  enum class Timed : bool { no, yes };

  /// One storage of one connection, for one message at a time. Its functions are the receiving thread's, but for
  /// `receiving`. Without a budget it counts nothing.
  class Share : private FairRoom::Holder {
   public:
    Share(std::shared_ptr<ReceiveBudget> budget, End end, Timed timed = Timed::yes, HasInput has_input = {});
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    /// What it holds is that peer's; until then an unknown host's.
    void count_for(const Peer& peer);

    /// Part of a message is here, and the receiver waits for more: so many bytes `arrived`, in `memory` bytes
    /// of storage. False: that is more than the ORB may hold, or this connection was ended for others.
    /// `since_ns`: when the message began; 0: with the first call after `complete` or `done`.
    bool hold(std::size_t arrived, std::size_t memory, std::int64_t since_ns = 0) noexcept;
    /// The message is all there, and counts no longer; `spare` bytes of its storage hold nothing of it.
    void complete(std::size_t spare) noexcept;
    /// The message is done with, and `memory` bytes of storage are kept for the next one. False: they are wanted
    /// elsewhere; give them back, and call this again with 0.
    bool done(std::size_t memory) noexcept;
    /// Has anything to be told to `done`?
    bool counts() const noexcept { return counts_; }
    /// Is a message being received that has not all arrived? Any thread.
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
    std::atomic<std::int64_t> since_ns_{0};  // when the message began; 0: none has
    std::atomic<std::size_t> arrived_{0};
    std::atomic<std::size_t> memory_{0};     // as counted in bytes_
    std::atomic<std::size_t> spare_{0};      // as counted in spare_bytes_
    std::atomic<bool> ended_{false};
  };

  /// Ends connections whose message began `timeout_ms` ago, and a second more for each kLeastBytesPerSecond of it that
  /// have arrived. Any thread that may wait for the end of connections.
  void end_late(std::int64_t timeout_ms) noexcept;
  static constexpr std::size_t kLeastBytesPerSecond = 1024;

  /// `call()` is called when a message begins of which more is to come, though not again until `receiving` has been asked:
  /// somebody has to call `end_late` from then on. It takes no lock under which a share is changed. Null: nobody is told.
  void on_receiving(std::function<void()> call);
  /// Does any connection that was not ended wait for the rest of a message? Any thread.
  bool receiving() noexcept;

  /// Of messages that have not all arrived.
  std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }
  /// Kept for messages to come: half of `max_bytes`, and what belongs to messages that are being served.
  std::size_t spare_bytes() const noexcept { return spare_bytes_.load(std::memory_order_relaxed); }
  std::size_t max_bytes() const noexcept { return max_bytes_; }

 private:
  bool make_room(const Share& wanting) noexcept;
  void tell_receiving() noexcept;
  void end(Share& share, const std::string& why);
  static Share& share_of(FairRoom::Holder* holder) noexcept { return static_cast<Share&>(*holder); }

  const std::size_t max_bytes_;
  std::atomic<std::size_t> bytes_{0};        // the sum of all memory_
  std::atomic<std::size_t> spare_bytes_{0};  // the sum of all spare_
  std::atomic<bool> told_{true};             // on_receiving_, since `receiving` was asked; or there is none
  std::mutex mutex_;                         // guards the rest, and that the shares are there
  std::function<void()> on_receiving_;
  FairRoom room_;  // each share
};

}  // namespace orbweaver
