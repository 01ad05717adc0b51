#include "dsp/deframer.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace orbweaver::voice {
namespace {

std::uint64_t word_at(const Bit* bits) {
  std::uint64_t word = 0;
  for (unsigned i = 0; i < kSyncBits; ++i) word = word << 1 | bits[i];
  return word;
}

unsigned distance(std::uint64_t word) { return static_cast<unsigned>(std::popcount(word ^ kSyncWord)); }

}  // namespace

void Deframer::push(std::span<const Bit> channel, std::vector<Bit>& bits) {
  stats_.channel_bits += channel.size();
  window_.reserve(window_.size() + channel.size());
  for (const Bit bit : channel) window_.push_back(bit & 1U);

  std::size_t at = 0;
  std::uint64_t word = window_.size() >= kFrameBits ? word_at(window_.data()) : 0;
  while (window_.size() - at >= kFrameBits) {
    const bool expected = window_start_ + at == expected_at_;
    if (distance(word) <= (expected ? kLockedTolerance : kSyncTolerance)) {
      if (try_frame(at, bits)) {
        at += kFrameBits;
        if (window_.size() - at >= kFrameBits) word = word_at(window_.data() + at);
        continue;
      }
      if (expected) expected_at_ += kFrameBits;  // one bad frame does not end synchronisation
    }
    word = word << 1 | window_[at + kSyncBits];
    ++at;
  }
  window_.erase(window_.begin(), window_.begin() + static_cast<std::ptrdiff_t>(at));
  window_start_ += at;
}

bool Deframer::try_frame(std::size_t at, std::vector<Bit>& bits) {
  const Bit* start = window_.data() + at;
  const DecodeResult decoded = codec_.decode(std::span<const Bit, kCodedBits>(start + kSyncBits, kCodedBits));
  if (!decoded.frame) {
    ++stats_.frames_bad;
    return false;
  }
  const unsigned sync_errors = distance(word_at(start));
  stats_.compared_bits += kFrameBits;
  stats_.bit_errors += decoded.bit_errors + sync_errors;
  stats_.sync_bit_errors += sync_errors;
  stats_.worst_frame_errors =
      std::max<std::uint64_t>(stats_.worst_frame_errors, decoded.bit_errors + sync_errors);
  expected_at_ = window_start_ + at + kFrameBits;
  accept(*decoded.frame, bits);
  return true;
}

void Deframer::accept(const Frame& frame, std::vector<Bit>& bits) {
  if (!in_stream_ || frame.stream != stream_) {
    in_stream_ = true;
    stream_ = frame.stream;
    next_sequence_ = 0;
  }
  if (frame.sequence < next_sequence_) {
    ++stats_.frames_repeated;
    return;
  }
  fill(frame.sequence - next_sequence_, bits);
  ++stats_.frames_good;
  stats_.payload_bits += frame.payload_bits;
  stats_.end_seen = frame.end;
  next_sequence_ = frame.sequence + 1;
  bits.insert(bits.end(), frame.payload.begin(), frame.payload.begin() + frame.payload_bits);
}

void Deframer::fill(std::uint32_t frames, std::vector<Bit>& bits) {
  if (frames == 0) return;
  stats_.frames_lost += frames;
  ++stats_.sequence_gaps;
  if (frames > kLongestGap) return;  // a late join or a foreign sequence: do not fill
  const std::size_t filled = std::size_t{frames} * kPayloadBits;
  for (std::size_t i = 0; i < filled; ++i) bits.push_back(static_cast<Bit>(i & 1U));
  stats_.filled_bits += filled;
}

}  // namespace orbweaver::voice
