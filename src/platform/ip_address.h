#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace orbweaver::platform {

/// An address of IPv6; one of IPv4 in the form ::ffff:a.b.c.d.
struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};
  bool is_v4() const noexcept;
};
inline constexpr unsigned kIpAddressBits = 128, kIpV4PrefixBits = 96;

/// "10.0.0.7", "fd00::7", "fe80::1%eth0" (whose zone is left out); nothing where it is no address.
std::optional<IpAddress> parse_ip_address(std::string_view text) noexcept;

}  // namespace orbweaver::platform
