// Finds frames in a stream of channel bits, corrects them, and gives back the codec bits in order.
//
// Synchronisation: anywhere, a word with at most kSyncTolerance wrong bits starts a frame. Where a good frame
// says that the next must stand, kLockedTolerance wrong bits are allowed. A frame that fails its checksum is
// searched again from its second bit, so that a false word inside it cannot hide a true one.
//
// Lost frames leave a gap in the sequence. A gap of at most kLongestGap frames is filled with the codec's
// idle pattern (0101…), so that the speech keeps its length; what comes after stays at its time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsp/frame.h"

namespace orbweaver::voice {

inline constexpr unsigned kSyncTolerance = 8;  ///< noise looks like a word once a day; its checksum fails
inline constexpr unsigned kLockedTolerance = 20;
inline constexpr unsigned kLongestGap = 250;  ///< frames, ten seconds

/// Counted since construction.
struct DeframerStats {
  std::uint64_t channel_bits = 0;        ///< received
  std::uint64_t frames_good = 0;         ///< checksum right and in order
  std::uint64_t frames_bad = 0;          ///< a synchronisation word, but the checksum or header was wrong
  std::uint64_t frames_lost = 0;         ///< missing from the sequence
  std::uint64_t frames_repeated = 0;     ///< a sequence number that had been passed already; dropped
  std::uint64_t sequence_gaps = 0;       ///< how often frames were missing
  std::uint64_t compared_bits = 0;       ///< channel bits of good frames, synchronisation words included
  std::uint64_t bit_errors = 0;          ///< how many of them were wrong before error correction
  std::uint64_t sync_bit_errors = 0;     ///< how many of those in synchronisation words
  std::uint64_t worst_frame_errors = 0;  ///< the most in one good frame
  std::uint64_t payload_bits = 0;        ///< codec bits given out from frames
  std::uint64_t filled_bits = 0;         ///< codec bits invented for lost frames
  bool end_seen = false;                 ///< the frame that ends the stream arrived
};

/// One thread at a time. Deterministic however the bits are cut. Any input is fine.
class Deframer {
 public:
  /// Takes channel bits (the lowest bit of each octet), appends codec bits.
  void push(std::span<const Bit> channel, std::vector<Bit>& bits);

  /// Ends the stream. A frame of which less than the whole arrived is not looked at: it counts as lost only
  /// if the sequence shows it.
  void flush() { window_.clear(); }

  const DeframerStats& stats() const { return stats_; }

 private:
  bool try_frame(std::size_t at, std::vector<Bit>& bits);
  void accept(const Frame& frame, std::vector<Bit>& bits);
  void fill(std::uint32_t frames, std::vector<Bit>& bits);

  FrameCodec codec_;
  std::vector<Bit> window_;            // received and not yet passed over
  std::uint64_t window_start_ = 0;     // position of window_[0] in the stream
  std::uint64_t expected_at_ = ~0ULL;  // where the frame after the last good one must start
  bool in_stream_ = false;
  std::uint32_t stream_ = 0;
  std::uint32_t next_sequence_ = 0;
  DeframerStats stats_;
};

}  // namespace orbweaver::voice
