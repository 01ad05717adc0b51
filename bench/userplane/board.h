// What the receiver of `orbweaver bench userplane` has received, in a file that all processes map: reports
// are no messages of the measured mechanism.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "message_mix.h"

namespace orbweaver::bench {

/// Points of a sweep at most.
inline constexpr std::uint32_t kMostPoints = 64;

/// What has been received of one point, between its two marks.
struct Reception {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  std::uint64_t wrong = 0;      ///< other size or other content than was sent
  std::uint64_t reordered = 0;  ///< behind a packet that was sent later, or twice
  std::int64_t began_ns = 0;    ///< steady_ns() at the marks
  std::int64_t ended_ns = 0;
  std::int64_t began_cpu_ns = 0;  ///< processor time of the receiver at the marks, all threads together
  std::int64_t ended_cpu_ns = 0;
  std::int64_t began_wait_ns = 0;  ///< time for which the receiving thread had to wait for a processor
  std::int64_t ended_wait_ns = 0;
};

/// Progress of a receiver: its marks in order.
constexpr std::uint32_t begun(std::uint32_t point) { return 2 * point + 1; }
constexpr std::uint32_t ended(std::uint32_t point) { return 2 * point + 2; }

/// Shared memory of runner, sender and receiver, zeroed at first. Functions throw std::system_error unless
/// they are noexcept.
class UserplaneBoard {
 public:
  enum class Mode { create, open };
  UserplaneBoard(const std::string& path, Mode mode);
  ~UserplaneBoard();
  UserplaneBoard(const UserplaneBoard&) = delete;
  UserplaneBoard& operator=(const UserplaneBoard&) = delete;

  /// Runner, before the processes begin: sizes of the packets.
  void set_sizes(const MessageSizes& sizes) noexcept { memory_->sizes = sizes; }
  const MessageSizes& sizes() const noexcept { return memory_->sizes; }

  /// Receiver: stores a point; other processes see it after the next publish(). Ignores points beyond
  /// kMostPoints.
  void store(std::uint32_t point, const Reception& reception) noexcept;
  void publish(std::uint32_t progress) noexcept;

  /// Sender: waits until the receiver has published `progress`. False after `limit`.
  bool wait_for(std::uint32_t progress, std::chrono::microseconds limit) noexcept;
  void set_sent(std::uint32_t point, std::uint64_t packets) noexcept { memory_->sent[point] = packets; }

  /// Runner, when both have ended.
  const Reception& reception(std::uint32_t point) const noexcept { return memory_->receptions[point]; }
  std::uint64_t sent(std::uint32_t point) const noexcept { return memory_->sent[point]; }

 private:
  struct Memory {
    std::atomic<std::uint32_t> progress;
    MessageSizes sizes;
    std::array<Reception, kMostPoints> receptions;
    std::array<std::uint64_t, kMostPoints> sent;
  };
  Memory* memory_ = nullptr;
};

}  // namespace orbweaver::bench
