#pragma once

#include <gtest/gtest.h>
#include <orbweaver/cdr/codec.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

/// The words in which CDR's tests are written; other rooms' tests may use them.
namespace orbweaver::cdr::testing {

using Octets = std::vector<std::uint8_t>;

inline constexpr bool kLittleEndianHost = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

/// hex("01 0000 ff"): spaces are for the reader.
inline Octets hex(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
  Octets bytes;
  int high = -1;
  for (const char c : text) {
    if (c == ' ' || c == '\n') continue;
    if (high < 0) {
      high = digit(c);
    } else {
      bytes.push_back(static_cast<std::uint8_t>(high << 4 | digit(c)));
      high = -1;
    }
  }
  EXPECT_EQ(high, -1) << "half a byte in \"" << text << '"';
  return bytes;
}

/// What this machine sends for the values, one after the other.
template <class... T>
Octets encoded(const T&... values) {
  Octets bytes;
  Encoder out(bytes);
  (encode(out, values), ...);
  out.finish();
  return bytes;
}

inline Decoder little(const Octets& bytes, Scratch* scratch = nullptr) {
  return {bytes.data(), bytes.size(), !kLittleEndianHost, scratch};
}
inline Decoder big(const Octets& bytes, Scratch* scratch = nullptr) {
  return {bytes.data(), bytes.size(), kLittleEndianHost, scratch};
}

template <class... T>
std::tuple<T...> decoded(Decoder& in) {
  std::tuple<T...> values;
  std::apply([&in](T&... value) { (decode(in, value), ...); }, values);
  return values;
}

/// The values travel as these bytes: decoded from both byte orders, encoded in this machine's, within
/// their bounds and in no less room than they take; and no beginning of the bytes is taken for the whole.
template <class... T>
void expect_travels(std::string_view big_hex, std::string_view little_hex, const T&... values) {
  const Octets bytes[2] = {hex(big_hex), hex(little_hex)};
  for (int order = 0; order < 2; ++order) {
    SCOPED_TRACE(order == 0 ? "big-endian" : "little-endian");
    const auto open = [order](const Octets& from) { return order == 0 ? big(from) : little(from); };
    Decoder in = open(bytes[order]);
    EXPECT_EQ(decoded<T...>(in), std::tuple<T...>(values...));
    EXPECT_TRUE(in.ok()) << describe(in.fault());
    EXPECT_EQ(in.remaining(), 0u);
    for (std::size_t n = 0; n < bytes[order].size(); ++n) {
      const Octets part(bytes[order].begin(), bytes[order].begin() + static_cast<std::ptrdiff_t>(n));
      Decoder cut = open(part);
      decoded<T...>(cut);
      EXPECT_FALSE(cut.ok()) << "of " << n << " bytes";
    }
  }
  const Octets& mine = bytes[kLittleEndianHost ? 1 : 0];
  EXPECT_EQ(encoded(values...), mine);
  EXPECT_GE((bound_of(values) + ... + 0), mine.size());
  for (std::size_t n = 0; n < mine.size(); ++n) {
    Octets room(n);
    Encoder out(room.data(), n);
    (encode(out, values), ...);
    EXPECT_FALSE(out.ok()) << "in room for " << n << " bytes";
  }
}

}  // namespace orbweaver::cdr::testing
