#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>

#include "base/limits.h"

namespace orbweaver::orb {

/// Counts the bytes of large requests that an ORB serves or holds for a POA's manager, and of large replies
/// that wait for their clients to take them, over all of its connections; each of the two sums has the same
/// limit (-ORBMaxServedBytes). Messages of less than kLeastCounted bytes are not counted: a connection's
/// buffers hold them anyway. Thread-safe.
class ServiceBudget {
 public:
  static constexpr std::size_t kLeastCounted = limits::kFirstMessageBytes;

  explicit ServiceBudget(std::size_t max_bytes) noexcept : max_bytes_(max_bytes) {}
  ServiceBudget(const ServiceBudget&) = delete;
  ServiceBudget& operator=(const ServiceBudget&) = delete;

  /// Ends a connection, told why. Any thread; it takes no lock under which a share is made, changed or
  /// destroyed.
  using End = std::function<void(const std::string& why)>;

  /// One connection's, which has one request and one reply at a time.
  class Share {
   public:
    Share(ServiceBudget& budget, End end);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    /// A request of so many bytes is to be served. False: that is more than may be served at a time; it is
    /// not counted.
    bool begin_request(std::size_t bytes) noexcept;
    void end_request() noexcept;
    /// A reply of so many bytes, or a fragment of one, is to be sent. Where there are too many, the
    /// connections whose replies have waited longest to be taken are ended.
    void begin_reply(std::size_t bytes) noexcept {
      if (bytes >= kLeastCounted) [[unlikely]]
        count_reply(bytes);
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
    std::list<Share*>::iterator place_;
  };

  std::size_t max_bytes() const noexcept { return max_bytes_; }
  std::size_t request_bytes() const noexcept { return request_bytes_.load(std::memory_order_relaxed); }
  std::size_t reply_bytes() const noexcept { return reply_bytes_.load(std::memory_order_relaxed); }

 private:
  void end_longest_waiting(const Share& but) noexcept;

  const std::size_t max_bytes_;
  std::atomic<std::size_t> request_bytes_{0};
  std::atomic<std::size_t> reply_bytes_{
      0};             // changed under the lock, less those of connections that were ended
  std::mutex mutex_;  // guards shares_, and their replies
  std::list<Share*> shares_;
};

}  // namespace orbweaver::orb
