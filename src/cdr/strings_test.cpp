// Sequences of strings: their encoding and decoding is that of the strings one after another.
#include <algorithm>

#include "testing.h"

namespace orbweaver::cdr {
namespace {

using testing::big;
using testing::little;
using testing::Octets;
using Strings = std::vector<std::string>;

/// Strings of all lengths up to `longest` and some larger ones, in an order in which padding varies.
Strings strings_up_to(std::size_t longest) {
  Strings strings;
  for (std::size_t i = 0; i <= longest; ++i) {
    std::string s(i * 7 % (longest + 1), ' ');
    for (std::size_t c = 0; c < s.size(); ++c) s[c] = static_cast<char>('a' + (i + c) % 26);
    strings.push_back(std::move(s));
  }
  strings.insert(strings.end(), {std::string(300, 'x'), "", std::string("a\0b", 3)});
  return strings;
}

/// `first` octets, then the length and the strings, each written alone.
Octets one_by_one(const Strings& strings, std::size_t first) {
  Octets bytes;
  Encoder out(bytes);
  for (std::size_t i = 0; i < first; ++i) out.put(std::uint8_t{9});
  out.put(static_cast<std::uint32_t>(strings.size()));
  for (const std::string& each : strings) out.put_string(each);
  out.finish();
  return bytes;
}

Octets as_sequence(const Strings& strings, std::size_t first) {
  Octets bytes;
  Encoder out(bytes);
  for (std::size_t i = 0; i < first; ++i) out.put(std::uint8_t{9});
  encode(out, strings);
  out.finish();
  return bytes;
}

TEST(CdrStrings, AreEncodedAsOneByOne) {
  const Strings strings = strings_up_to(40);
  for (std::size_t first = 0; first < 8; ++first)
    EXPECT_EQ(as_sequence(strings, first), one_by_one(strings, first)) << first;
}

TEST(CdrStrings, AreBoundAsOneByOne) {
  for (std::size_t n = 0; n < 12; ++n) {
    const Strings strings = strings_up_to(n);
    std::size_t bound = 7;
    for (const std::string& each : strings) bound += bound_of(each);
    EXPECT_EQ(bound_of(strings), bound) << n;
    EXPECT_GE(bound, one_by_one(strings, 0).size());
  }
  EXPECT_EQ(bound_of(Strings{}), 7u);
}

TEST(CdrStrings, AreDecodedFromAnyOffset) {
  const Strings strings = strings_up_to(40);
  for (std::size_t first = 0; first < 8; ++first) {
    const Octets bytes = one_by_one(strings, first);
    Decoder in(bytes.data(), bytes.size(), false);
    ASSERT_TRUE(in.skip(first));
    Strings read{std::string(500, 'y'), "z"};  // storage that is reused
    decode(in, read);
    EXPECT_TRUE(in.ok()) << first;
    EXPECT_EQ(read, strings) << first;
    EXPECT_EQ(in.remaining(), 0u);
  }
}

TEST(CdrStrings, OfEitherByteOrder) {
  testing::expect_round_trip("00000003 00000001 00000000 00000003 6f6b0000 00000005 66697665 00",
                             "03000000 01000000 00000000 03000000 6f6b0000 05000000 66697665 00",
                             Strings{"", "ok", "five"});
}

TEST(CdrStrings, OfLengthZeroAreEmpty) {
  const Octets bytes = testing::hex("00000003 00000002 61000000 00000000 00000002 6200");
  Decoder in = big(bytes);
  EXPECT_EQ(std::get<0>(testing::decoded<Strings>(in)), (Strings{"a", "", "b"}));
  EXPECT_TRUE(in.ok());
}

// Every prefix, and every octet changed, gives the fault and its offset that single strings give.
TEST(CdrStrings, HaveTheFaultsOfSingleStrings) {
  const Octets whole = one_by_one(strings_up_to(20), 1);
  const auto compare = [](const Octets& bytes) {
    Decoder single(bytes.data(), bytes.size(), false), in(bytes.data(), bytes.size(), false);
    ASSERT_EQ(single.skip(1), in.skip(1));
    Strings strings, read;
    const std::uint32_t n = single.get_length(4);
    for (std::uint32_t i = 0; i < n && single.ok(); ++i) strings.emplace_back(single.get_string_view());
    decode(in, read);
    ASSERT_EQ(in.fault(), single.fault());
    ASSERT_EQ(in.fault_offset(), single.fault_offset());
    ASSERT_EQ(in.offset(), single.offset());
    if (in.ok()) ASSERT_EQ(read, strings);
  };
  for (std::size_t n = 0; n <= whole.size(); ++n)
    ASSERT_NO_FATAL_FAILURE(compare({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)})) << n;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int change : {0x01, 0x80, 0xff}) {
      Octets changed = whole;
      changed[i] = static_cast<std::uint8_t>(changed[i] ^ change);
      ASSERT_NO_FATAL_FAILURE(compare(changed)) << i;
    }
  }
}

TEST(CdrStrings, DoNotExceedABufferOfFixedSize) {
  const Strings strings = strings_up_to(20);
  const Octets whole = one_by_one(strings, 0);
  for (std::size_t n = 0; n <= whole.size(); ++n) {
    Octets buffer(n + 16, 0xee);
    Encoder out(buffer.data(), n);
    encode(out, strings);
    EXPECT_EQ(out.ok(), n == whole.size()) << n;
    EXPECT_TRUE(std::all_of(buffer.begin() + static_cast<std::ptrdiff_t>(n), buffer.end(),
                            [](std::uint8_t octet) { return octet == 0xee; }))
        << n;
  }
}

/// Collects what is flushed from a buffer.
class Flushed final : public OverflowHandler {
 public:
  explicit Flushed(std::size_t bytes) : buffer_(bytes) {}
  Buffer flush_buffer(std::size_t written, const OutOfLineSegment&) override {
    octets.insert(octets.end(), buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(written));
    return {buffer_.data(), buffer_.size(), 0};
  }
  std::uint8_t* buffer() { return buffer_.data(); }

  Octets octets;

 private:
  Octets buffer_;
};

TEST(CdrStrings, AreFlushedInBuffersOfAnySize) {
  const Strings strings = strings_up_to(40);
  for (std::size_t bytes = 8; bytes <= 1024; bytes += 8) {
    Flushed flushed(bytes);
    Encoder out(flushed.buffer(), bytes);
    out.set_overflow_handler(flushed);
    encode(out, strings);
    ASSERT_TRUE(out.ok());
    flushed.flush_buffer(out.size(), {});
    EXPECT_EQ(flushed.octets, one_by_one(strings, 0)) << bytes;
  }
}

}  // namespace
}  // namespace orbweaver::cdr
