// One frame of the air interface: 1600 channel bits, 40 ms of speech. README.md draws it.
//
//   64 bits     synchronisation word, kSyncWord, most significant bit first
//   1536 bits   the block of 96 octets below, protected by 64 codewords of the extended Golay code (24,12)
//
//   octet  0       version, 1
//          1       flags: bit 0 = the stream ends with this frame; the others 0
//          2-3     payload bits in use, 0..640          (numbers are big-endian)
//          4-7     stream number
//          8-11    sequence number, from 0 in every stream
//          12-91   payload: CVSD bits, the earliest in an octet's most significant bit, unused bits 0
//          92-95   CRC-32 (IEEE 802.3) of octets 0-91
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dsp/rates.h"

struct fec_s;  // liquid-dsp's

namespace orbweaver::voice {

// The marker that CCSDS 131.0-B gives for its rate-1/2 turbo code, borrowed for its autocorrelation.
inline constexpr std::uint64_t kSyncWord = 0x034776C7272895B0;
inline constexpr unsigned kSyncBits = 64;
inline constexpr unsigned kHeaderOctets = 12;
inline constexpr unsigned kPayloadOctets = 80;
inline constexpr unsigned kPayloadBits = 8 * kPayloadOctets;
inline constexpr unsigned kBlockOctets = kHeaderOctets + kPayloadOctets + 4;
inline constexpr unsigned kCodewords = kBlockOctets * 8 / 12;
inline constexpr unsigned kCodedBits = kCodewords * 24;
inline constexpr unsigned kFrameBits = kSyncBits + kCodedBits;

struct Frame {
  bool end = false;  ///< the last of its stream
  std::uint32_t stream = 0;
  std::uint32_t sequence = 0;
  std::uint16_t payload_bits = 0;  ///< how many of `payload` count, at most kPayloadBits
  std::array<Bit, kPayloadBits> payload{};

  bool operator==(const Frame&) const = default;
};

/// What a receiver made of one coded block.
struct Decoded {
  std::optional<Frame> frame;  ///< absent if the checksum or the header's rules fail
  unsigned bit_errors = 0;     ///< channel bits of the block that were wrong; known only with a frame
};

/// Frames to channel bits and back. Keeps no state between frames. One thread at a time.
class FrameCodec {
 public:
  FrameCodec();

  /// Appends kFrameBits channel bits, synchronisation word first.
  void encode(const Frame& frame, std::vector<Bit>& channel) const;

  /// Decodes the kCodedBits after a synchronisation word. Any input is fine: nothing in it is believed
  /// before the checksum has matched.
  Decoded decode(std::span<const Bit, kCodedBits> coded) const;

 private:
  using Block = std::array<std::uint8_t, kBlockOctets>;
  using Coded = std::array<Bit, kCodedBits>;

  Coded protect(Block& block) const;
  Block correct(std::span<const Bit, kCodedBits> coded) const;

  struct LiquidFecDelete {
    void operator()(fec_s* code) const noexcept;
  };
  std::unique_ptr<fec_s, LiquidFecDelete> golay_;
};

}  // namespace orbweaver::voice
