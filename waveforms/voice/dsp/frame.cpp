#include "dsp/frame.h"

#include <algorithm>
#include <cstddef>

#include "dsp/liquid.h"

namespace orbweaver::voice {
namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kFlagEnd = 1;
constexpr unsigned kCodedOctets = kCodedBits / 8;
constexpr unsigned kCodewordBits = 24;

void put(std::uint8_t* at, std::uint32_t value, unsigned octets) {
  for (unsigned i = 0; i < octets; ++i) at[i] = static_cast<std::uint8_t>(value >> (8 * (octets - 1 - i)));
}

std::uint32_t get(const std::uint8_t* at, unsigned octets) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < octets; ++i) value = value << 8 | at[i];
  return value;
}

Bit bit_at(const std::uint8_t* octets, unsigned index) { return octets[index / 8] >> (7 - index % 8) & 1U; }

void set_bit(std::uint8_t* octets, unsigned index, Bit bit) {
  octets[index / 8] = static_cast<std::uint8_t>(octets[index / 8] | (bit & 1U) << (7 - index % 8));
}

std::uint32_t checksum(const std::uint8_t* block) {
  // crc_generate_key() takes a mutable pointer but does not write to it.
  return crc_generate_key(LIQUID_CRC_32, const_cast<std::uint8_t*>(block), kHeaderOctets + kPayloadOctets);
}

/// The position of a coded bit on the channel: bit b of codeword c is sent at 64b + c, so that a burst of 192
/// channel bits affects at most three bits of any codeword, which the code corrects.
constexpr unsigned interleaved(unsigned index) {
  return index % kCodewordBits * kCodewords + index / kCodewordBits;
}

/// The whitening sequence of x^9 + x^5 + 1, starting with all ones. Without whitening, silence and zero
/// padding would be long runs of one tone, in which the receiver cannot detect symbol boundaries.
constexpr std::array<Bit, kCodedBits> make_whitening() {
  std::array<Bit, kCodedBits> bits{};
  unsigned state = 0x1FF;
  for (Bit& bit : bits) {
    bit = static_cast<Bit>(state >> 8 & 1U);
    state = (state << 1 | ((state >> 8 ^ state >> 4) & 1U)) & 0x1FF;
  }
  return bits;
}
constexpr std::array<Bit, kCodedBits> kWhitening = make_whitening();

}  // namespace

void FrameCodec::LiquidFecDelete::operator()(fec_s* code) const noexcept { fec_destroy(code); }

FrameCodec::FrameCodec() : golay_(fec_create(LIQUID_FEC_GOLAY2412, nullptr)) {}

void FrameCodec::encode(const Frame& frame, std::vector<Bit>& channel) const {
  Block block{};
  const unsigned used = std::min<unsigned>(frame.payload_bits, kPayloadBits);
  block[0] = kVersion;
  block[1] = frame.end ? kFlagEnd : 0;
  put(&block[2], used, 2);
  put(&block[4], frame.stream, 4);
  put(&block[8], frame.sequence, 4);
  for (unsigned i = 0; i < used; ++i) set_bit(&block[kHeaderOctets], i, frame.payload[i]);
  put(&block[kHeaderOctets + kPayloadOctets], checksum(block.data()), 4);

  for (unsigned i = 0; i < kSyncBits; ++i) {
    channel.push_back(static_cast<Bit>(kSyncWord >> (kSyncBits - 1 - i) & 1U));
  }
  const Coded coded = protect(block);
  channel.insert(channel.end(), coded.begin(), coded.end());
}

DecodeResult FrameCodec::decode(std::span<const Bit, kCodedBits> coded) const {
  Block block = correct(coded);
  const unsigned used = get(&block[2], 2);
  if (get(&block[kHeaderOctets + kPayloadOctets], 4) != checksum(block.data()) || block[0] != kVersion ||
      (block[1] & ~kFlagEnd) != 0 || used > kPayloadBits) {
    return {};
  }
  Frame frame;
  frame.end = block[1] == kFlagEnd;
  frame.payload_bits = static_cast<std::uint16_t>(used);
  frame.stream = get(&block[4], 4);
  frame.sequence = get(&block[8], 4);
  for (unsigned i = 0; i < used; ++i) frame.payload[i] = bit_at(&block[kHeaderOctets], i);

  // The block is correct, so encoding it again gives the sent bits; every difference is a channel error.
  DecodeResult decoded{frame, 0};
  const Coded sent = protect(block);
  for (unsigned i = 0; i < kCodedBits; ++i) decoded.bit_errors += (sent[i] ^ coded[i]) & 1U;
  return decoded;
}

FrameCodec::Coded FrameCodec::protect(Block& block) const {
  std::array<std::uint8_t, kCodedOctets> words{};
  fec_encode(golay_.get(), kBlockOctets, block.data(), words.data());
  Coded coded;
  for (unsigned i = 0; i < kCodedBits; ++i) {
    const unsigned at = interleaved(i);
    coded[at] = bit_at(words.data(), i) ^ kWhitening[at];
  }
  return coded;
}

FrameCodec::Block FrameCodec::correct(std::span<const Bit, kCodedBits> coded) const {
  std::array<std::uint8_t, kCodedOctets> words{};
  for (unsigned i = 0; i < kCodedBits; ++i) {
    const unsigned at = interleaved(i);
    set_bit(words.data(), i, (coded[at] ^ kWhitening[at]) & 1U);
  }
  Block block{};
  fec_decode(golay_.get(), kBlockOctets, words.data(), block.data());
  return block;
}

}  // namespace orbweaver::voice
