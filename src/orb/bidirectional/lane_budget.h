#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/fair_eviction.h"

namespace orbweaver::orb {

class SplitChannel;

/// Limits what the divided connections of an ORB hold together: the bytes of the requests in their queues
/// (-ORBTune bidirectional-queue-bytes), and their lanes beyond the first one of each (-ORBTune
/// bidirectional-lanes). One peer may use half of each.
///
/// At the limit of bytes, connections are not read until queued requests have been taken; those on which a
/// call awaits its reply are read all the same. Beyond twice the limit, connections of the peer that holds
/// most are closed (base/fair_eviction.h). Thread-safe. Except for `settle` and the destructor of a share,
/// functions may be called with the lock of a SplitChannel.
class LaneBudget {
 public:
  struct Limits {
    std::size_t bytes;
    std::size_t lanes;  ///< 0: no limit.
  };

  explicit LaneBudget(const Limits& limits) noexcept : limits_(limits) {}
  LaneBudget(const LaneBudget&) = delete;
  LaneBudget& operator=(const LaneBudget&) = delete;

  /// The share of one connection. Without a budget (null) it counts nothing.
  class Share : private FairEviction::Holder {
   public:
    Share(std::shared_ptr<LaneBudget> budget, const orbweaver::Peer& peer);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    /// Sets the connection of the share, which `settle` resumes and closes. Before it is read.
    void set_channel(std::weak_ptr<SplitChannel> channel);

    /// Sets the bytes of the requests in the queue. True: `settle` is to be called.
    bool count(std::size_t bytes) noexcept;
    /// Whether the connection may be read. If not, `settle` resumes it when it may.
    bool may_read() noexcept;
    /// Whether `may_read` was false, and the connection has not been resumed. Without a lock.
    bool is_held_back() const noexcept { return waits_.load(std::memory_order_relaxed); }
    /// Counts one more lane. False, and not counted: the limit is reached.
    bool add_lane() noexcept;
    /// Sets the number of lanes, at most as many as were added.
    void keep_lanes(std::size_t lanes) noexcept;
    /// Resumes and closes connections, possibly this one. Without any lock of a SplitChannel.
    void settle() noexcept;

   private:
    friend class LaneBudget;
    struct PeerUse {
      std::size_t shares = 0, bytes = 0, lanes = 0;
    };
    const std::shared_ptr<LaneBudget> budget_;
    // Guarded by the lock of the budget, but for the loads of `waits_`:
    std::map<std::string, PeerUse>::iterator peer_;
    std::weak_ptr<SplitChannel> channel_;
    std::size_t bytes_ = 0;
    std::size_t lanes_ = 0;
    bool ended_ = false;  // its connection is being closed; its bytes count no more
    std::atomic<bool> waits_{false};
  };

  /// Bytes of the requests in all queues, and lanes beyond the first of each connection.
  std::size_t bytes() const;
  std::size_t lanes() const;
  const Limits& limits() const noexcept { return limits_; }

 private:
  using Channels = std::vector<std::shared_ptr<SplitChannel>>;
  static Share& share_of(FairEviction::Holder* holder) noexcept { return static_cast<Share&>(*holder); }
  static constexpr std::size_t half_of(std::size_t limit) noexcept { return limit - limit / 2; }
  // With the lock held:
  std::size_t most_bytes() const noexcept;
  bool has_room(const Share& share) const noexcept;
  void set_bytes(Share& share, std::size_t bytes) noexcept;
  void end(Share& share, Channels& closed) noexcept;
  void end_largest(Share& wanting, Channels& closed);
  void take_waiting(Channels& resumed);
  /// `wanting`: the share that has grown; null: none.
  void settle(Share* wanting) noexcept;

  const Limits limits_;
  mutable std::mutex mutex_;  // guards the rest, and the shares
  FairEviction eviction_;     // all shares
  std::map<std::string, Share::PeerUse> peers_;
  std::size_t bytes_ = 0;
  std::size_t lanes_ = 0;
  std::size_t waiting_ = 0;  // shares with `waits_`
};

}  // namespace orbweaver::orb
