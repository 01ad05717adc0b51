#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace orbweaver::platform {

/// An IPv6 address; an IPv4 address in the mapped form ::ffff:a.b.c.d.
struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};
  /// Whether the address is an IPv4-mapped one.
  bool is_v4() const noexcept;
};
inline constexpr unsigned kIpAddressBits = 128, kIpV4PrefixBits = 96;

/// Parses "10.0.0.7", "fd00::7", "fe80::1%eth0" (the zone is ignored). Empty if `text` is not an address.
std::optional<IpAddress> parse_ip_address(std::string_view text) noexcept;

}  // namespace orbweaver::platform
