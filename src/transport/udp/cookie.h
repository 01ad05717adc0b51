#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace orbweaver::transport::datagram {

/// Says whether somebody who claims a source address has read what was sent there, without remembering anybody: the
/// cookie is a keyed hash (SipHash-2-4, Aumasson and Bernstein 2012) of the address, the client's random number and
/// the time. The key is random and stays here. Any thread.
class CookieJar {
 public:
  CookieJar();
  std::uint64_t make(Bytes address, std::uint64_t nonce) const noexcept { return make(address, nonce, period()); }
  /// True for half a minute at least, a minute at most, after `make`.
  bool knows(std::uint64_t cookie, Bytes address, std::uint64_t nonce) const noexcept {
    const std::uint64_t now = period();
    return cookie == make(address, nonce, now) || cookie == make(address, nonce, now - 1);
  }

 private:
  std::uint64_t make(Bytes address, std::uint64_t nonce, std::uint64_t period) const noexcept;
  static std::uint64_t period() noexcept;
  std::uint64_t key_[2];
};

/// A number that nobody can guess, from the system.
std::uint64_t random_u64();
std::uint64_t siphash(const std::uint64_t (&key)[2], Bytes bytes) noexcept;

}  // namespace orbweaver::transport::datagram
