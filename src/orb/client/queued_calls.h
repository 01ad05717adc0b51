#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace orbweaver::orb {

/// Counts the one-way calls of a connection that are queued in its channel, and those of the last batches
/// that were sent, so that the calls lost with the connection are known. Positions are bytes of all messages.
///
/// Lock rule: any thread may call `lost` and `unsent`; the other functions are called with the send lock. The
/// mutex guards the record of the batches only.
class QueuedCalls {
 public:
  bool empty() const noexcept { return bytes_ == 0; }
  std::size_t bytes() const noexcept { return bytes_; }
  /// When the oldest queued call was added (now_ns).
  std::int64_t since_ns() const noexcept { return since_ns_; }

  /// Records the time of the first call of a batch.
  void begin(std::int64_t now_ns) noexcept { since_ns_ = now_ns; }
  /// Counts a queued call of `bytes` bytes that ends at position `end`.
  void add(std::size_t bytes, std::uint64_t end) noexcept {
    bytes_ += bytes;
    end_ = end;
    unsent_.fetch_add(1, std::memory_order_release);
  }
  /// Records the queued calls as a batch that was sent.
  void mark_sent() noexcept {
    if (bytes_ != 0) [[unlikely]]
      end_batch();
  }
  /// Records that the queued calls will not be sent: `unsent` keeps their number.
  void mark_lost() noexcept { bytes_ = 0; }

  /// Calls that were queued and not sent.
  std::uint64_t unsent() const noexcept { return unsent_.load(std::memory_order_acquire); }
  /// Upper bound of the calls lost with a closed connection: not sent, or sent in a batch that ends after the
  /// position `delivered`, up to which the server's host has received.
  std::uint64_t lost(std::uint64_t delivered) const noexcept;

 private:
  void end_batch() noexcept;

  std::size_t bytes_ = 0;
  std::int64_t since_ns_ = 0;
  std::uint64_t end_ = 0;
  std::atomic<std::uint64_t> unsent_{0};

  struct Batch {
    std::uint64_t end = 0, calls = 0;
  };
  static constexpr std::size_t kBatchesKept = 64;
  mutable std::mutex mutex_;  // guards the rest
  std::array<Batch, kBatchesKept> batches_;
  std::size_t next_batch_ = 0;
};

}  // namespace orbweaver::orb
