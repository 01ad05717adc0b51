// `@view` sequences: in place in the message if possible, else in Scratch. Also tests of Scratch and Encoder.
#include <numeric>

#include "cdr/testing.h"

namespace orbweaver::cdr::testing {
namespace {

/// A sequence of three doubles, aligned to 8 from the start of the message.
const char kLittle[] = "03000000 00000000 000000000000f03f 0000000000000040 0000000000000840";
const char kBig[] = "00000003 00000000 3ff0000000000000 4000000000000000 4008000000000000";

bool points_into(const void* p, const Octets& bytes) {
  return p >= bytes.data() && p < bytes.data() + bytes.size();
}

struct AlignedMessage {
  alignas(8) std::uint8_t memory[64];
  Scratch scratch;

  /// Decodes the bytes of `text` at `shift` bytes beyond an aligned address.
  span<const double> of(const char* text, bool little_endian, std::size_t shift, bool with_scratch = true) {
    const Octets bytes = hex(text);
    std::memcpy(memory + shift, bytes.data(), bytes.size());
    Decoder in(memory + shift, bytes.size(), little_endian != kLittleEndianHost,
               with_scratch ? &scratch : nullptr);
    span<const double> view;
    decode(in, view);
    ok = in.ok();
    return view;
  }
  bool in_place(span<const double> view) const {
    const void* p = view.data();
    return p >= memory && p < memory + sizeof memory;
  }
  bool ok = false;
};

TEST(CdrViews, PointIntoTheMessage) {
  AlignedMessage message;
  const auto view = message.of(kLittleEndianHost ? kLittle : kBig, kLittleEndianHost, 0);
  EXPECT_TRUE(message.ok);
  EXPECT_TRUE(message.in_place(view));
  EXPECT_EQ(std::vector<double>(view.begin(), view.end()), (std::vector<double>{1, 2, 3}));
}

TEST(CdrViews, SwapIntoScratch) {
  AlignedMessage message;
  const auto view = message.of(kLittleEndianHost ? kBig : kLittle, !kLittleEndianHost, 0);
  EXPECT_TRUE(message.ok);
  EXPECT_FALSE(message.in_place(view));
  EXPECT_EQ(std::vector<double>(view.begin(), view.end()), (std::vector<double>{1, 2, 3}));
}

TEST(CdrViews, CopyMisalignedElementsToScratch) {
  AlignedMessage message;
  for (const std::size_t shift : {1u, 4u, 7u}) {
    const auto view = message.of(kLittleEndianHost ? kLittle : kBig, kLittleEndianHost, shift);
    EXPECT_TRUE(message.ok);
    EXPECT_FALSE(message.in_place(view));
    EXPECT_EQ(std::vector<double>(view.begin(), view.end()), (std::vector<double>{1, 2, 3}));
  }
}

TEST(CdrViews, FailWithoutScratch) {
  AlignedMessage message;
  EXPECT_TRUE(message.of(kLittleEndianHost ? kBig : kLittle, !kLittleEndianHost, 0, false).empty());
  EXPECT_FALSE(message.ok);
}

TEST(CdrViews, PointIntoTheMessageForOctets) {
  const Octets bytes = hex("00000003 0a0b0c");
  Decoder in = big(bytes);
  span<const std::uint8_t> view;
  decode(in, view);
  EXPECT_TRUE(points_into(view.data(), bytes));
  EXPECT_EQ(view.size(), 3u);
}

TEST(CdrViews, DecodeEmptySequences) {
  const Octets bytes = hex("00000000");
  Decoder in = big(bytes);
  span<const double> view;
  decode(in, view);
  EXPECT_TRUE(in.ok());
  EXPECT_TRUE(view.empty());
}

TEST(CdrViews, EncodeLikeSequences) {
  const std::vector<double> values{1, 2, 3};
  EXPECT_EQ(encoded(span<const double>(values)), encoded(values));
  EXPECT_GE(bound_of(span<const double>(values)), encoded(values).size());
}

TEST(CdrScratch, ReturnsAlignedDisjointStorage) {
  Scratch scratch;
  std::uint8_t* end = nullptr;
  for (std::size_t n = 1; n < 4000; n = n * 3 + 1) {
    auto* block = static_cast<std::uint8_t*>(scratch.take(n, 16));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 16, 0u);
    if (end != nullptr && block > end - 4096 && block < end) ADD_FAILURE() << "overlap at " << n;
    std::memset(block, 0xff, n);
    end = block + n;
  }
}

TEST(CdrScratch, ReusesStorageAfterReset) {
  Scratch scratch;
  void* const first = scratch.take(1000, 8);
  scratch.reset();
  EXPECT_EQ(scratch.take(1000, 8), first);
}

TEST(CdrScratch, KeepsStorageValidWhileGrowing) {
  Scratch scratch;
  auto* first = static_cast<std::uint8_t*>(scratch.take(100, 8));
  std::memset(first, 0x5a, 100);
  for (int i = 0; i < 20; ++i) ASSERT_NE(scratch.take(10000, 8), nullptr);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(first[i], 0x5a);
}

TEST(CdrEncoder, GrowsOnlyOverAVector) {
  Octets storage;
  Encoder growing(storage);
  for (std::uint32_t i = 0; i < 1000; ++i) growing.put(i);
  growing.finish();
  EXPECT_TRUE(growing.ok());
  EXPECT_EQ(storage.size(), 4000u);
}

TEST(CdrEncoder, WritesNothingBeyondItsBuffer) {
  Octets buffer(12, 0xee);
  Encoder out(buffer.data(), 8);
  out.put(std::uint32_t{1});
  out.put_string("too long for the buffer");
  out.put(std::uint8_t{2});
  EXPECT_FALSE(out.ok());
  EXPECT_EQ(Octets(buffer.begin() + 8, buffer.end()), Octets(4, 0xee));
}

TEST(CdrEncoder, LeavesOneLargeBlockOutOfLine) {
  const std::vector<double> small(3, 1.0), large(100, 2.0), second(200, 3.0);
  Octets copied, buffer(4000, 0xee);
  Encoder whole(copied), gapped(buffer.data(), buffer.size());
  gapped.allow_out_of_line(800);
  for (Encoder* out : {&whole, &gapped}) {
    for (const auto* each : {&small, &large, &second}) encode(*out, *each);
    out->put(std::uint8_t{7});
  }
  whole.finish();
  const Encoder::OutOfLineSegment out_of_line = gapped.out_of_line();
  ASSERT_EQ(gapped.size(), copied.size());
  EXPECT_EQ(out_of_line.from, large.data());
  EXPECT_EQ(out_of_line.bytes, 800u);
  EXPECT_EQ(buffer[out_of_line.at], 0xee) << "was copied";
  std::memcpy(buffer.data() + out_of_line.at, out_of_line.from, out_of_line.bytes);
  buffer.resize(copied.size());
  EXPECT_EQ(buffer, copied);
  EXPECT_EQ(whole.out_of_line().bytes, 0u);
}

TEST(CdrEncoder, FailsWhenAnOutOfLineSegmentWouldNotFit) {
  const std::vector<double> large(100, 2.0);
  Octets buffer(400);
  Encoder out(buffer.data(), buffer.size());
  out.allow_out_of_line(16);
  encode(out, large);
  EXPECT_FALSE(out.ok());
  EXPECT_EQ(out.out_of_line().bytes, 0u);
}

TEST(CdrEncoder, PatchesAReservedUlong) {
  Octets storage;
  Encoder out(storage);
  out.put(std::uint8_t{1});
  const std::size_t at = out.reserve_ulong();
  out.put(std::uint8_t{2});
  out.patch_ulong(at, 0x01010101);
  out.finish();
  EXPECT_EQ(storage, hex("01 000000 01010101 02"));
}

}  // namespace
}  // namespace orbweaver::cdr::testing
