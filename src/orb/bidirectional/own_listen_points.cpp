#include "orb/bidirectional/own_listen_points.h"

#include <random>
#include <string_view>

#include "base/hex.h"
#include "orb/core.h"

namespace orbweaver::orb {
namespace {

constexpr std::string_view kSuffix = ".orbweaver.invalid";
constexpr std::uint16_t kPort = 9;  // discard: references without a port have no network endpoint

}  // namespace

std::vector<std::uint8_t> OwnListenPoints::context(bool secure) const {
  return giop::encode_listen_points(core_.endpoints().listen_points(secure));
}

giop::ListenPoint make_unreachable_address() {
  std::random_device random;  // of the system; not predictable
  std::string host;
  for (int bytes = 0; bytes < 16; ++bytes) append_hex(host, static_cast<std::uint8_t>(random()));
  return {host + std::string(kSuffix), kPort};
}

bool is_unreachable_address(const std::string& address) noexcept {
  const std::string_view host = std::string_view(address).substr(0, address.rfind(':'));
  return host.ends_with(kSuffix);
}

}  // namespace orbweaver::orb
