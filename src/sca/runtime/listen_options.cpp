#include "sca/runtime/listen_options.h"

#include <algorithm>
#include <optional>

#include "giop/object_url.h"
#include "orb/options.h"
#include "platform/resolver.h"
#include "platform/socket.h"
#include "platform/udp_socket.h"
#include "sca/runtime/same_machine.h"

namespace orbweaver::sca {
namespace {

constexpr std::int64_t kConnectMs = 5'000;

/// The reference after NAMING_CONTEXT_IOR, COMPONENT_REGISTRY_IOR or DEVICE_MGR_IOR; without profiles if
/// there is none.
giop::Ior core_framework(const std::vector<std::string>& arguments) {
  const auto name = std::find_if(arguments.begin(), arguments.end(), [](const std::string& word) {
    return word == "NAMING_CONTEXT_IOR" || word == "COMPONENT_REGISTRY_IOR" || word == "DEVICE_MGR_IOR";
  });
  if (name == arguments.end() || name + 1 == arguments.end()) return {};
  const std::string& text = *(name + 1);
  if (!giop::is_object_url(text)) {
    auto ior = giop::parse_ior(text);
    return ior ? std::move(*ior) : giop::Ior();
  }
  const auto url = giop::parse_object_url(text);
  return url ? giop::to_ior(*url) : giop::Ior();
}

/// This host's address, "127.0.0.1" or "[::1]", of a connection to that one; empty if it cannot be reached.
/// A server on this machine can be, and gets no connection, if it has one address. Of several, a connection
/// finds one at which it listens.
std::optional<std::string> address_towards(const giop::IiopProfile& server, Deadline deadline) {
  const auto found = platform::resolve_tcp(server.host, server.port, false, deadline);
  const bool needs_no_connection = found.addresses.size() == 1 && is_on_this_machine(server);
  for (const auto& address : found.addresses) {
    const auto connected =
        needs_no_connection ? platform::connect_udp(address) : platform::connect_to(address, deadline);
    if (connected.error != 0) continue;
    const std::string own = platform::local_address(connected.fd).text();
    return own.substr(0, own.rfind(':'));
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> listen_options(const std::vector<std::string>& arguments) {
  for (const char* const option : {"-ORBListen", "-ORBListenEndpoints"}) {
    if (std::find(arguments.begin(), arguments.end(), option) != arguments.end()) return {};
  }
  const auto deadline = Deadline::in_ms(kConnectMs);
  for (const giop::TaggedData& profile : core_framework(arguments).profiles) {
    if (profile.tag != giop::profile_tag::kIiop) continue;
    const auto address = giop::decode_iiop_profile(profile.data);
    if (!address || address->port == 0) continue;  // 0: an Orbweaver ORB that does not listen on TCP
    const auto own = address_towards(*address, deadline);
    if (!own) continue;
    std::string endpoints;
    for (const auto& endpoint : orb::Options::default_listen()) endpoints += endpoint.transport + ",";
    return {"-ORBListen", endpoints + "tcp:" + *own + ":0"};
  }
  return {};
}

}  // namespace orbweaver::sca
