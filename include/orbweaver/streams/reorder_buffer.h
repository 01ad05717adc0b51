#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <orbweaver/streams/detail/reorder_window.h>
#include <orbweaver/streams/push_result.h>
#include <orbweaver/streams/reorder_options.h>

namespace orbweaver::streams {

/// Puts the packets of one stream back into the order of their 32-bit sequence numbers, compared by serial
/// number arithmetic (RFC 1982). A missing packet is skipped when the receiver has waited for it for the
/// time-out; if it arrives later, it is dropped and counted as late.
///
/// The buffer is limited in packets and in bytes. The size of a packet is what its producer states. The
/// missing packet that take() waits for always has space, so that the content can exceed the limit in bytes
/// by this one packet, until it is taken.
///
/// Any sequence of numbers is valid input, and the work per packet is bounded by the capacity. A number whose
/// distance from the expected one, in either direction, is jump_distance() or more is a jump: packets in the
/// buffer are delivered without waiting for missing ones, and the stream continues from the new number. The
/// packets of a sender that starts again at a nearer number are late until it reaches the expected one.
///
/// Times are passed by the caller, in nanoseconds of any steady clock. One thread at a time.
template <class Packet>
class ReorderBuffer {
 public:
  /// Throws std::invalid_argument for limits that are not in the ranges of ReorderOptions.
  explicit ReorderBuffer(const ReorderOptions& options) : window_(options), packets_(options.packets) {}

  /// Adds a packet of `bytes` bytes. It is moved from if the result is `accepted`, else unchanged. `dropped`:
  /// the number is late or a duplicate. `queue_full`: push the packet again after take() has returned a
  /// packet or has skipped, or else call forget_refused(). `too_large`: larger than the limit in bytes.
  [[nodiscard]] PushResult push(std::uint32_t number, Packet&& packet, std::size_t bytes) {
    std::size_t slot = 0;
    const PushResult result = window_.push(number, bytes, slot);
    if (result == PushResult::accepted) packets_[slot].emplace(std::move(packet));
    return result;
  }

  /// Removes the next packet. nullopt if it has not arrived: call again after a push, and at skip_at_ns().
  std::optional<Packet> take(std::int64_t now_ns) {
    const auto slot = window_.take(now_ns);
    if (!slot) return std::nullopt;
    std::optional<Packet> packet = std::move(packets_[*slot]);
    packets_[*slot].reset();
    return packet;
  }

  /// Time at which take() will skip the missing packet, set by a take() without result while later packets
  /// have arrived; nullopt if no packet is missing. The maximum: never.
  std::optional<std::int64_t> skip_at_ns() const noexcept { return window_.skip_at_ns(); }

  /// Ends the effect of packets for which push() returned `queue_full`: the producer of one of them does not
  /// push it again. The others are to be pushed again.
  void forget_refused() noexcept { window_.forget_refused(); }

  /// From now on, take() skips missing packets at once: for the end of the stream.
  void finish() noexcept { window_.finish(); }

  /// Largest number of packets in the buffer.
  std::size_t capacity() const noexcept { return window_.capacity(); }
  /// The larger of 4096 and twice the capacity.
  std::uint32_t jump_distance() const noexcept { return window_.jump_distance(); }
  /// Content and counters.
  const ReorderCounts& counts() const noexcept { return window_.counts(); }

 private:
  detail::ReorderWindow window_;
  std::vector<std::optional<Packet>> packets_;
};

}  // namespace orbweaver::streams
