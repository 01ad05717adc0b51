#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace orbweaver::transport::udp {

/// Stateless return-routability check: proves that a client receives datagrams at its source address. The
/// cookie is a keyed hash (SipHash-2-4, Aumasson and Bernstein 2012) of the address, the client's random
/// number and the time. The key is random and private to this process. Thread-safe.
class CookieGenerator {
 public:
  CookieGenerator();
  std::uint64_t make(Bytes address, std::uint64_t nonce) const noexcept {
    return make(address, nonce, period());
  }
  /// True for at least half a minute and at most a minute after `make`.
  bool verifies(std::uint64_t cookie, Bytes address, std::uint64_t nonce) const noexcept {
    const std::uint64_t now = period();
    return cookie == make(address, nonce, now) || cookie == make(address, nonce, now - 1);
  }

 private:
  std::uint64_t make(Bytes address, std::uint64_t nonce, std::uint64_t period) const noexcept;
  static std::uint64_t period() noexcept;
  std::uint64_t key_[2];
};

/// Returns an unpredictable number from the system.
std::uint64_t random_u64();
std::uint64_t siphash(const std::uint64_t (&key)[2], Bytes bytes) noexcept;

}  // namespace orbweaver::transport::udp
