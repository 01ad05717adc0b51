// Finds frames in a stream of channel bits, corrects them, and outputs the codec bits in order.
//
// Synchronisation: a word with at most kSyncTolerance wrong bits starts a frame anywhere. Where the next
// frame after a good one is expected, kLockedTolerance wrong bits are allowed. After a frame fails its
// checksum, the search continues from its second bit, so that a false word cannot hide a true one inside the
// frame.
//
// Lost frames leave a gap in the sequence. A gap of at most kLongestGap frames is filled with the codec's
// idle pattern (0101…), so that the speech keeps its length and its timing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsp/frame.h"

namespace orbweaver::voice {

inline constexpr unsigned kSyncTolerance = 8;  ///< noise matches once a day; the checksum rejects it
inline constexpr unsigned kLockedTolerance = 20;
inline constexpr unsigned kLongestGap = 250;  ///< in frames: ten seconds

/// Statistics since construction.
struct DeframerStats {
  std::uint64_t channel_bits = 0;        ///< received
  std::uint64_t frames_good = 0;         ///< valid checksum, in order
  std::uint64_t frames_bad = 0;          ///< synchronisation word found, but invalid checksum or header
  std::uint64_t frames_lost = 0;         ///< missing from the sequence
  std::uint64_t frames_repeated = 0;     ///< dropped: sequence number lower than expected
  std::uint64_t sequence_gaps = 0;       ///< number of gaps in the sequence
  std::uint64_t compared_bits = 0;       ///< channel bits of good frames, synchronisation words included
  std::uint64_t bit_errors = 0;          ///< wrong bits among compared_bits, before error correction
  std::uint64_t sync_bit_errors = 0;     ///< the part of bit_errors in synchronisation words
  std::uint64_t worst_frame_errors = 0;  ///< maximum of bit errors in one good frame
  std::uint64_t payload_bits = 0;        ///< codec bits output from frames
  std::uint64_t filled_bits = 0;         ///< idle bits output for lost frames
  bool end_seen = false;                 ///< the frame that ends the stream arrived
};

/// Deframes one stream at a time. The output does not depend on how the bits are split. Accepts any input.
/// Not thread-safe.
class Deframer {
 public:
  /// Consumes channel bits (the lowest bit of each octet) and appends codec bits.
  void push(std::span<const Bit> channel, std::vector<Bit>& bits);

  /// Ends the stream. An incomplete frame at the end is discarded; it counts as lost only if the sequence
  /// shows it.
  void flush() { window_.clear(); }

  const DeframerStats& stats() const { return stats_; }

 private:
  bool try_frame(std::size_t at, std::vector<Bit>& bits);
  void accept(const Frame& frame, std::vector<Bit>& bits);
  void fill(std::uint32_t frames, std::vector<Bit>& bits);

  FrameCodec codec_;
  std::vector<Bit> window_;            // received and not yet consumed
  std::uint64_t window_start_ = 0;     // position of window_[0] in the stream
  std::uint64_t expected_at_ = ~0ULL;  // where the frame after the last good one must start
  bool in_stream_ = false;
  std::uint32_t stream_ = 0;
  std::uint32_t next_sequence_ = 0;
  DeframerStats stats_;
};

}  // namespace orbweaver::voice
