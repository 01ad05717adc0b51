#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace orbweaver::streams {

/// Sequence numbers and slots of a ReorderBuffer, without its packets. One thread at a time.
class ReorderWindow {
 public:
  /// Smallest jump_distance().
  static constexpr std::uint32_t kMinJumpDistance = 4096;
  /// Largest capacity, in packets.
  static constexpr std::size_t kMaxPackets = 1u << 23;

  /// Result of offering a packet.
  enum class Offer : std::uint8_t {
    stored,     ///< The buffer has the packet.
    duplicate,  ///< The buffer has a packet with this number; the offered one is dropped.
    late,       ///< The number has been delivered or skipped; the packet is dropped.
    full,       ///< No room yet: offer the packet again after take() has returned a packet or has skipped.
  };

  /// Totals since the buffer was made. Each packet that was not `full` is in exactly one of `stored`,
  /// `duplicates` and `late`.
  struct Counts {
    std::uint64_t stored = 0;      ///< Packets stored.
    std::uint64_t delivered = 0;   ///< Packets that take() returned.
    std::uint64_t duplicates = 0;  ///< Packets dropped: the buffer had one with that number.
    std::uint64_t late = 0;        ///< Packets dropped: delivered before, or skipped.
    std::uint64_t skipped = 0;     ///< Numbers given up by the time-out or at the end; jumps apart.
    std::uint64_t jumps = 0;       ///< Jumps of the sequence number.
  };

  /// See ReorderBuffer.
  ReorderWindow(std::size_t packets, std::int64_t timeout_ns, std::uint32_t first);

  /// Chooses the slot for the packet `number`; sets `slot` if the result is `stored`.
  Offer offer(std::uint32_t number, std::size_t& slot);
  /// The slot of the next packet; nullopt if it has not arrived. See ReorderBuffer::take.
  std::optional<std::size_t> take(std::int64_t now_ns);
  /// See ReorderBuffer.
  std::optional<std::int64_t> skip_at_ns() const noexcept { return skip_at_ns_; }
  /// See ReorderBuffer.
  void finish() noexcept { finishing_ = true; }
  /// See ReorderBuffer.
  std::size_t size() const noexcept { return stored_; }
  /// See ReorderBuffer.
  std::size_t capacity() const noexcept { return used_.size(); }
  /// See ReorderBuffer.
  std::uint32_t jump_distance() const noexcept { return jump_distance_; }
  /// See ReorderBuffer.
  const Counts& counts() const noexcept { return counts_; }

 private:
  void jump_to(std::uint32_t number) noexcept;
  std::size_t slot_of(std::uint32_t number) const noexcept;
  bool gives_up(std::int64_t now_ns);
  void skip();

  std::vector<bool> used_;  ///< By slot.
  std::size_t head_ = 0;    ///< The slot of next_; those of the following numbers follow, modulo capacity.
  std::size_t stored_ = 0;
  std::uint32_t next_;                   ///< The number that take() returns next.
  std::optional<std::uint32_t> beyond_;  ///< Lowest number refused as too far ahead since the last skip.
  std::optional<std::uint32_t> jump_;    ///< Number of a refused jump, for as long as packets are stored.
  std::uint32_t jump_distance_;
  std::int64_t timeout_ns_;
  std::optional<std::int64_t> skip_at_ns_;
  bool finishing_ = false;
  Counts counts_;
};

/// Puts the packets of one stream back into the order of their 32-bit sequence numbers, compared by serial
/// number arithmetic (RFC 1982). It holds at most `capacity()` packets. A missing packet is skipped when the
/// receiver has waited for it for the time-out; if it arrives later, it is dropped and counted as late.
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
  /// Result of offer().
  using Offer = ReorderWindow::Offer;
  /// Totals.
  using Counts = ReorderWindow::Counts;

  /// `packets`: capacity, 1 to 2^23 (another value is replaced by the nearest). `timeout_ns`: time for which
  /// take() waits for a missing packet. `first`: number of the stream's first packet.
  ReorderBuffer(std::size_t packets, std::int64_t timeout_ns, std::uint32_t first = 0)
      : window_(packets, timeout_ns, first), packets_(window_.capacity()) {}

  /// Offers the packet with this number. It is moved from if the result is `stored`, else unchanged. A
  /// missing packet that take() waits for always has room.
  Offer offer(std::uint32_t number, Packet&& packet) {
    std::size_t slot = 0;
    const Offer result = window_.offer(number, slot);
    if (result == Offer::stored) packets_[slot].emplace(std::move(packet));
    return result;
  }

  /// Removes the next packet. nullopt if it has not arrived: call again after an offer, and at skip_at_ns().
  std::optional<Packet> take(std::int64_t now_ns) {
    const auto slot = window_.take(now_ns);
    if (!slot) return std::nullopt;
    std::optional<Packet> packet = std::move(packets_[*slot]);
    packets_[*slot].reset();
    return packet;
  }

  /// Time at which take() will skip the missing packet, set by a take() without result while later packets
  /// have arrived; nullopt if no packet is missing.
  std::optional<std::int64_t> skip_at_ns() const noexcept { return window_.skip_at_ns(); }

  /// From now on, take() skips missing packets at once: for the end of the stream.
  void finish() noexcept { window_.finish(); }

  /// Packets in the buffer.
  std::size_t size() const noexcept { return window_.size(); }
  /// Largest number of packets in the buffer.
  std::size_t capacity() const noexcept { return window_.capacity(); }
  /// The larger of 4096 and twice the capacity.
  std::uint32_t jump_distance() const noexcept { return window_.jump_distance(); }
  /// Totals so far.
  const Counts& counts() const noexcept { return window_.counts(); }

 private:
  ReorderWindow window_;
  std::vector<std::optional<Packet>> packets_;
};

}  // namespace orbweaver::streams
