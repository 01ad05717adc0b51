#include "transport/udp/cookie.h"

#include <orbweaver/deadline.h>

#include <algorithm>
#include <array>
#include <bit>
#include <random>

#include "transport/udp/wire.h"

namespace orbweaver::transport::udp {

std::uint64_t random_u64() {
  std::random_device random;
  return (std::uint64_t{random()} << 32) | random();
}

std::uint64_t siphash(const std::uint64_t (&key)[2], Bytes bytes) noexcept {
  std::uint64_t v0 = key[0] ^ 0x736f6d6570736575u, v1 = key[1] ^ 0x646f72616e646f6du;
  std::uint64_t v2 = key[0] ^ 0x6c7967656e657261u, v3 = key[1] ^ 0x7465646279746573u;
  const auto rounds = [&](int n) {
    for (; n > 0; --n) {
      v0 += v1, v1 = std::rotl(v1, 13) ^ v0, v0 = std::rotl(v0, 32);
      v2 += v3, v3 = std::rotl(v3, 16) ^ v2;
      v0 += v3, v3 = std::rotl(v3, 21) ^ v0;
      v2 += v1, v1 = std::rotl(v1, 17) ^ v2, v2 = std::rotl(v2, 32);
    }
  };
  for (std::size_t at = 0;; at += 8) {
    std::uint64_t word = 0;
    const std::size_t here = std::min<std::size_t>(8, bytes.size() - at);
    for (std::size_t i = 0; i < here; ++i) word |= std::uint64_t{bytes[at + i]} << (8 * i);
    if (here < 8) word |= std::uint64_t{bytes.size() & 0xFF} << 56;  // the last word contains the length
    v3 ^= word;
    rounds(2);
    v0 ^= word;
    if (here < 8) break;
  }
  v2 ^= 0xFF;
  rounds(4);
  return v0 ^ v1 ^ v2 ^ v3;
}

CookieGenerator::CookieGenerator() : key_{random_u64(), random_u64()} {}

std::uint64_t CookieGenerator::period() noexcept {
  return static_cast<std::uint64_t>(now_ns()) / 30'000'000'000u + 1;
}

std::uint64_t CookieGenerator::make(Bytes address, std::uint64_t nonce, std::uint64_t period) const noexcept {
  std::array<std::uint8_t, 16 + 128> text;
  write_u64(text.data(), nonce);
  write_u64(text.data() + 8, period);
  const std::size_t bytes = std::min<std::size_t>(address.size(), 128);
  std::copy_n(address.begin(), bytes, text.begin() + 16);
  return siphash(key_, Bytes(text.data(), 16 + bytes));
}

}  // namespace orbweaver::transport::udp
