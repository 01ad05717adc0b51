// Frame of the air interface: 1600 channel bits, 40 ms of speech. README.md has a drawing.
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

struct fec_s;  // of liquid-dsp

namespace orbweaver::voice {

// The marker of CCSDS 131.0-B for its rate-1/2 turbo code, chosen for its autocorrelation.
inline constexpr std::uint64_t kSyncWord = 0x034776C7272895B0;
inline constexpr unsigned kSyncBits = 64;
inline constexpr unsigned kHeaderOctets = 12;
inline constexpr unsigned kPayloadOctets = 80;
inline constexpr unsigned kPayloadBits = 8 * kPayloadOctets;
inline constexpr unsigned kBlockOctets = kHeaderOctets + kPayloadOctets + 4;
inline constexpr unsigned kCodewords = kBlockOctets * 8 / 12;
inline constexpr unsigned kCodedBits = kCodewords * 24;
inline constexpr unsigned kFrameBits = kSyncBits + kCodedBits;

/// The content of one frame.
struct Frame {
  bool end = false;  ///< the last of its stream
  std::uint32_t stream = 0;
  std::uint32_t sequence = 0;
  std::uint16_t payload_bits = 0;  ///< bits of `payload` in use, at most kPayloadBits
  std::array<Bit, kPayloadBits> payload{};

  bool operator==(const Frame&) const = default;
};

/// The result of decoding one coded block.
struct DecodeResult {
  std::optional<Frame> frame;  ///< empty if the checksum or the header is invalid
  unsigned bit_errors = 0;     ///< wrong channel bits of the block; valid only with a frame
};

/// Converts frames to channel bits and back. Keeps no state between frames. Not thread-safe.
class FrameCodec {
 public:
  FrameCodec();

  /// Appends the kFrameBits channel bits of a frame, synchronisation word first.
  void encode(const Frame& frame, std::vector<Bit>& channel) const;

  /// Decodes the kCodedBits after a synchronisation word. Accepts any input: no field is used before the
  /// checksum has matched.
  DecodeResult decode(std::span<const Bit, kCodedBits> coded) const;

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
