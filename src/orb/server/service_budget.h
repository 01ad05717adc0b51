#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "base/fair_eviction.h"
#include "base/limits.h"

namespace orbweaver::orb {

/// Limits the bytes of large requests in service or held by a POA manager, and of large unsent replies, over
/// all connections of an ORB; each of the two sums has its own limit (-ORBTune service-bytes). Messages below
/// kMinCountedBytes are not counted: they fit in a connection's buffers. Thread-safe.
class ServiceBudget {
 public:
  static constexpr std::size_t kMinCountedBytes = limits::kFirstMessageBytes;

  ServiceBudget(std::size_t max_request_bytes, std::size_t max_reply_bytes) noexcept
      : max_request_bytes_(max_request_bytes), max_reply_bytes_(max_reply_bytes) {}
  ServiceBudget(const ServiceBudget&) = delete;
  ServiceBudget& operator=(const ServiceBudget&) = delete;

  /// Closes a connection for the reason `why`. Called by any thread; must not take a lock under which a share
  /// is created, changed or destroyed.
  using End = std::function<void(const std::string& why)>;

  /// Share of one connection, which has one request and one reply at a time.
  class Share : private FairEviction::Holder {
   public:
    Share(ServiceBudget& budget, End end);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    /// Assigns the share to `peer`; before, it counts for an unknown host. Called before any request.
    void count_for(const Peer& peer);

    /// Counts a request. False, and not counted, if the limit is exceeded or, for a remote peer, if less than
    /// a quarter would remain for users of this host. A single remote request may be as large as the limit.
    bool begin_request(std::size_t bytes) noexcept;
    void end_request() noexcept;
    /// Counts a reply. If the limit is exceeded, connections of the peer with the most unread reply bytes are
    /// closed, possibly this one.
    void begin_reply(std::size_t bytes) noexcept {
      if (bytes >= kMinCountedBytes) [[unlikely]]
        count_reply(bytes);
    }
    /// Restarts the waiting time of the reply, of which a part was read.
    void continue_reply() noexcept {
      if (reply_bytes_ != 0) [[unlikely]]
        count_reply(reply_bytes_);
    }
    void end_reply() noexcept {
      if (reply_bytes_ != 0) [[unlikely]]
        count_reply(0);
    }

   private:
    friend class ServiceBudget;
    void count_reply(std::size_t bytes) noexcept;

    ServiceBudget& budget_;
    const End end_;
    std::size_t request_bytes_ = 0;
    // written by the sending thread under the lock; that thread reads it without
    std::size_t reply_bytes_ = 0;
    std::int64_t reply_since_ns_ = 0;
    bool ended_ = false;
    bool local_ = false;  // peer is a user of this host
  };

  std::size_t max_request_bytes() const noexcept { return max_request_bytes_; }
  std::size_t max_reply_bytes() const noexcept { return max_reply_bytes_; }
  std::size_t request_bytes() const noexcept { return request_bytes_.load(std::memory_order_relaxed); }
  std::size_t reply_bytes() const noexcept { return reply_bytes_.load(std::memory_order_relaxed); }

 private:
  void evict_longest_waiting(Share& requester) noexcept;
  void end(Share& share) noexcept;
  static Share& share_of(FairEviction::Holder* holder) noexcept { return static_cast<Share&>(*holder); }

  const std::size_t max_request_bytes_;
  const std::size_t max_reply_bytes_;
  std::atomic<std::size_t> request_bytes_{0};
  std::atomic<std::size_t> remote_request_bytes_{0};  // part of remote peers
  std::atomic<std::size_t> reply_bytes_{0};           // changed under the lock; without closed connections
  std::mutex mutex_;                                  // guards eviction_ and the replies of shares
  FairEviction eviction_;                             // all shares
};

}  // namespace orbweaver::orb
