#pragma once

#include <gtest/gtest.h>
#include <orbweaver/detail/cdr/codec.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

/// Helpers for tests of CDR, also used by the tests of other layers.
namespace orbweaver::cdr::testing {

using Octets = std::vector<std::uint8_t>;

inline constexpr bool kLittleEndianHost = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

/// Parses hexadecimal octets: hex("01 0000 ff"). Spaces are ignored.
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
  EXPECT_EQ(high, -1) << "odd number of digits in \"" << text << '"';
  return bytes;
}

/// Encodes the values in order, in this machine's byte order.
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

/// Expects that the values decode from the bytes of both byte orders and encode to those of this machine's,
/// within their bound; and that decoding a prefix of the bytes, or encoding into a smaller buffer, fails.
template <class... T>
void expect_round_trip(std::string_view big_hex, std::string_view little_hex, const T&... values) {
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
      EXPECT_FALSE(cut.ok()) << n << " bytes";
    }
  }
  const Octets& native = bytes[kLittleEndianHost ? 1 : 0];
  EXPECT_EQ(encoded(values...), native);
  EXPECT_GE((bound_of(values) + ... + 0), native.size());
  for (std::size_t n = 0; n < native.size(); ++n) {
    Octets buffer(n);
    Encoder out(buffer.data(), n);
    (encode(out, values), ...);
    EXPECT_FALSE(out.ok()) << "in a buffer of " << n << " bytes";
  }
}

}  // namespace orbweaver::cdr::testing
