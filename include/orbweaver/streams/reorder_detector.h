#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace orbweaver::streams {

/// Counts packets of one stream that arrive out of order, by their sequence numbers of 32 bits or another
/// width: 8 for JTNC, 64 for the component framework. Numbers are compared by serial number arithmetic
/// (RFC 1982), so that they may wrap around; a packet is reordered if a higher number has arrived before it
/// (RFC 4737, 3.3). Any sequence of numbers is valid input: memory is the
/// window, and work per packet is constant, except that a gap costs one step for each number in it, at most
/// the window. One thread at a time.
class ReorderDetector {
 public:
  /// Default window, in numbers.
  static constexpr std::uint32_t kDefaultWindow = 4096;
  /// Largest window, in numbers; larger values are reduced to it.
  static constexpr std::uint32_t kMaxWindow = 1u << 24;

  /// Classification of one packet.
  enum class Arrival : std::uint8_t {
    in_order,   ///< The number after the highest one so far, or the first packet.
    gap,        ///< A higher number; the ones between are missing, until they arrive.
    reordered,  ///< A number that arrives for the first time, after a higher one.
    duplicate,  ///< A number that has arrived before.
    jump,       ///< A number whose distance from the highest one, in either direction, is the window or more.
                ///< The stream continues from it; numbers missing before the jump stay missing.
  };

  /// Totals since the detector was made.
  struct Counts {
    std::uint64_t received = 0;    ///< All packets, duplicates included.
    std::uint64_t reordered = 0;   ///< Arrivals classified `reordered`.
    std::uint64_t duplicates = 0;  ///< Arrivals classified `duplicate`.
    std::uint64_t missing = 0;     ///< Numbers between lowest and highest number, jumps apart, not arrived.
    std::uint64_t jumps = 0;       ///< Arrivals classified `jump`.
  };

  /// `window`: numbers up to the highest one for which arrivals are remembered; rounded up to a power of two,
  /// at most half of the numbers. `bits`: width of the numbers, 1 to 64; others are replaced by the nearest.
  /// `first`: number with which the stream begins, so that missing packets before the first arrival count;
  /// nullopt: the first arrival.
  explicit ReorderDetector(std::uint32_t window = kDefaultWindow, unsigned bits = 32,
                           std::optional<std::uint64_t> first = std::nullopt);

  /// Classifies and counts the packet `number`, of which the width's lowest bits are used.
  Arrival observe(std::uint64_t number);

  /// Totals so far.
  const Counts& counts() const noexcept { return counts_; }

 private:
  std::size_t index(std::uint64_t number) const noexcept {
    return static_cast<std::size_t>(number % window_);
  }
  void start_at(std::uint64_t number);
  Arrival observe_ahead(std::uint64_t number, std::uint32_t distance);
  Arrival observe_behind(std::uint64_t number, std::uint32_t distance);

  std::uint64_t mask_;  ///< Largest number.
  std::uint32_t window_;
  std::vector<bool> missing_;  ///< By number modulo window_; valid for the known_ numbers up to highest_.
  bool started_;               ///< There has been a packet, or the first number is known.
  std::uint64_t highest_;      ///< Highest number so far; before the first packet, the one before it.
  std::uint32_t known_ = 0;    ///< Numbers up to highest_ that have arrived or are missing.
  Counts counts_;
};

}  // namespace orbweaver::streams
