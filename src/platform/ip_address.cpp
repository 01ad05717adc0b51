#include "platform/ip_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

namespace orbweaver::platform {
namespace {

constexpr std::array<std::uint8_t, 12> kV4Prefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

}  // namespace

bool IpAddress::is_v4() const noexcept {
  return std::equal(kV4Prefix.begin(), kV4Prefix.end(), bytes.begin());
}

std::optional<IpAddress> parse_ip_address(std::string_view text) noexcept {
  text = text.substr(0, text.find('%'));
  char copy[INET6_ADDRSTRLEN + 1] = {};
  if (text.size() >= sizeof copy) return {};
  std::memcpy(copy, text.data(), text.size());
  IpAddress address;
  if (inet_pton(AF_INET6, copy, address.bytes.data()) == 1) return address;
  std::copy(kV4Prefix.begin(), kV4Prefix.end(), address.bytes.begin());
  if (inet_pton(AF_INET, copy, address.bytes.data() + kV4Prefix.size()) == 1) return address;
  return {};
}

}  // namespace orbweaver::platform
