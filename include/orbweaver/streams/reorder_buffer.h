#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
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
/// distance from the expected one, in either direction, is jump_distance() or more is a jump. It is refused
/// while packets are in the buffer or have been refused for lack of space: these are delivered first, without
/// waiting for missing ones, and so are numbers that arrive meanwhile and were not jumps when it was refused.
/// The stream then continues from the new number, or from a lower one that is near it and was refused
/// meanwhile, too. The packets of a sender that starts again at a nearer number are late until it reaches the
/// expected one.
///
/// Times are passed by the caller, in nanoseconds of any steady clock. Moves of `Packet` must not throw. One
/// thread at a time.
template <class Packet>
class ReorderBuffer {
  static_assert(std::is_nothrow_move_constructible_v<Packet>, "a slot that is in use must hold a packet");

 public:
  /// Throws std::invalid_argument for limits that are not in the ranges of ReorderOptions.
  explicit ReorderBuffer(const ReorderOptions& options) : window_(options), packets_(options.packets) {}

  /// Adds a packet of `bytes` bytes. It is moved from if the result is `accepted`, else unchanged. `dropped`:
  /// the number is late or a duplicate. `queue_full`: push the packet again after take() has returned a
  /// packet, has skipped or has jumped (counts()), or else call forget_refused(). `too_large`: larger than
  /// the limit in bytes.
  [[nodiscard]] PushResult push(std::uint32_t number, Packet&& packet, std::size_t bytes) {
    std::size_t slot = 0;
    const PushResult result = window_.push(number, bytes, slot);
    if (result == PushResult::accepted) packets_[slot].emplace(std::move(packet));
    return result;
  }

  /// Removes the next packet. nullopt if it has not arrived: call again after a push, and at skip_at_ns().
  std::optional<Packet> take(std::int64_t now_ns) { return remove(window_.take(now_ns)); }

  /// Removes the packet of the lowest number and counts it as discarded; nullopt if there is none. Those
  /// missing before it are not waited for, and late from now on.
  std::optional<Packet> discard() { return remove(window_.discard()); }

  /// Time at which take() will skip the missing packet, set by a take() without result while later packets
  /// have arrived; nullopt if no packet is missing. The maximum: never.
  std::optional<std::int64_t> skip_at_ns() const noexcept { return window_.skip_at_ns(); }

  /// Ends the effect of a packet for which push() returned `queue_full`: its producer does not push it again.
  /// Other refused packets are to be pushed again.
  void forget_refused(std::uint32_t number) noexcept { window_.forget_refused(number); }

  /// Forgets all refused packets, and lets take() skip missing ones at once from now on: for the end of the
  /// stream.
  void finish() noexcept { window_.finish(); }

  /// Largest number of packets in the buffer.
  std::size_t capacity() const noexcept { return window_.capacity(); }
  /// The larger of 4096 and twice the capacity.
  std::uint32_t jump_distance() const noexcept { return window_.jump_distance(); }
  /// Content and counters.
  const ReorderCounts& counts() const noexcept { return window_.counts(); }

 private:
  std::optional<Packet> remove(std::optional<std::size_t> slot) {
    if (!slot) return std::nullopt;
    std::optional<Packet> packet = std::move(packets_[*slot]);
    packets_[*slot].reset();
    return packet;
  }

  detail::ReorderWindow window_;
  std::vector<std::optional<Packet>> packets_;
};

}  // namespace orbweaver::streams
