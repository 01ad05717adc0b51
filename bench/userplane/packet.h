// Packets of `orbweaver bench userplane`: how they are written, and how the receiver verifies each of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "board.h"
#include "message_mix.h"

namespace orbweaver::bench {

/// A packet of user data, or a mark: the first or last packet of a point of the sweep, which is not counted.
enum class PacketKind : std::uint32_t { data, begin, end };

/// The first bytes of a packet. Its size is that of its number; the other bytes are those of a pattern, from
/// a position that depends on the number.
struct PacketHeader {
  std::uint32_t number;  ///< from 0, of all packets of a sender
  std::uint32_t point;   ///< of the sweep
  PacketKind kind;
};
static_assert(sizeof(PacketHeader) <= kSmallestMessage);

/// Writes packets one after the other. One thread.
class PacketWriter {
 public:
  explicit PacketWriter(const MessageSizes& sizes) : sizes_(sizes), packet_(kLargestMessage) {}

  /// The next packet, valid until the next call.
  std::span<const std::uint8_t> next(std::uint32_t point, PacketKind kind);

 private:
  const MessageSizes& sizes_;
  std::vector<std::uint8_t> packet_;
  std::uint32_t number_ = 0;
};

/// Verifies packets, and notes on the board what has been received of each point. One thread.
class PacketCheck {
 public:
  explicit PacketCheck(UserplaneBoard& board) : board_(board), sizes_(board.sizes()) {}

  /// A packet has arrived: compares its size and its content, each byte, with those of its number.
  void take(std::span<const std::uint8_t> packet) noexcept;

  /// Size of the packet that follows those which were taken, unless packets are lost.
  std::uint32_t next_bytes() const noexcept { return sizes_[next_ % sizes_.size()]; }

 private:
  void take_mark(const PacketHeader& header) noexcept;

  UserplaneBoard& board_;
  const MessageSizes& sizes_;
  std::uint32_t next_ = 0;      // number of the next packet
  std::uint32_t progress_ = 0;  // what has been published
  Reception reception_;         // of the current point
};

}  // namespace orbweaver::bench
