#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "base/fair_room.h"
#include "base/limits.h"

namespace orbweaver::orb {

/// Counts the bytes of large requests that an ORB serves or holds for a POA's manager, and of large replies
/// that wait for their clients to take them, over all of its connections; each of the two sums has a limit
/// (-ORBMaxServedBytes). Messages of less than kLeastCounted bytes are not counted: a connection's
/// buffers hold them anyway. Thread-safe.
class ServiceBudget {
 public:
  static constexpr std::size_t kLeastCounted = limits::kFirstMessageBytes;

  ServiceBudget(std::size_t max_request_bytes, std::size_t max_reply_bytes) noexcept
      : max_request_bytes_(max_request_bytes), max_reply_bytes_(max_reply_bytes) {}
  ServiceBudget(const ServiceBudget&) = delete;
  ServiceBudget& operator=(const ServiceBudget&) = delete;

  /// Ends a connection, told why. Any thread; it takes no lock under which a share is made, changed or
  /// destroyed.
  using End = std::function<void(const std::string& why)>;

  /// One connection's, which has one request and one reply at a time.
  class Share : private FairRoom::Holder {
   public:
    Share(ServiceBudget& budget, End end);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    /// Its request and reply are that peer's; until then an unknown host's. Before any.
    void count_for(const Peer& peer);

    /// A request of so many bytes is to be served. False: that is more than may be served at a time, or, of hosts, than
    /// leaves a quarter to users of this host; it is not counted. One request of hosts may be as large as the limit.
    bool begin_request(std::size_t bytes) noexcept;
    void end_request() noexcept;
    /// A reply of so many bytes is to be sent. Where there are too many, connections of the peer whose replies that are not
    /// taken hold most are ended, which may be this one.
    void begin_reply(std::size_t bytes) noexcept {
      if (bytes >= kLeastCounted) [[unlikely]]
        count_reply(bytes);
    }
    /// Some of it was taken: the rest waits from now.
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
    std::size_t reply_bytes_ = 0;  // written by the sending thread under the lock; read by it alone without
    std::int64_t reply_since_ns_ = 0;
    bool ended_ = false;
    bool local_ = false;  // a user of this host
  };

  std::size_t max_request_bytes() const noexcept { return max_request_bytes_; }
  std::size_t max_reply_bytes() const noexcept { return max_reply_bytes_; }
  std::size_t request_bytes() const noexcept { return request_bytes_.load(std::memory_order_relaxed); }
  std::size_t reply_bytes() const noexcept { return reply_bytes_.load(std::memory_order_relaxed); }

 private:
  void make_room(Share& wanting) noexcept;
  void end(Share& share) noexcept;
  static Share& share_of(FairRoom::Holder* holder) noexcept { return static_cast<Share&>(*holder); }

  const std::size_t max_request_bytes_;
  const std::size_t max_reply_bytes_;
  std::atomic<std::size_t> request_bytes_{0};
  std::atomic<std::size_t> remote_request_bytes_{0};  // of these, those that are not local
  std::atomic<std::size_t> reply_bytes_{0};  // changed under the lock, less those of connections that were ended
  std::mutex mutex_;                         // guards room_, and the replies of shares
  FairRoom room_;                            // each share
};

}  // namespace orbweaver::orb
