// Which ways a reference offers, and which of them this process can go.
#include <algorithm>

#include "giop/codesets.h"
#include "giop/components.h"
#include "orb/core.h"
#include "orb/reference.h"
#include "platform/process_identity.h"
#include "platform/socket_file.h"

namespace orbweaver::orb {
namespace {

std::string host_and_port(const std::string& host, std::uint16_t port) {
  return (host.find(':') != std::string::npos ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

/// What to tell the server about characters with the first request; empty where it did not say what it knows.
std::vector<std::uint8_t> code_sets_context(const std::vector<giop::Tagged>& components, std::string& why_not) {
  const giop::Tagged* component = giop::find(components, giop::component_tag::kCodeSets);
  if (component == nullptr) return {};
  const auto info = giop::decode_code_sets(component->data);
  if (!info) {
    why_not += " (its code sets: " + info.error().message + ")";
    return {};
  }
  const auto sets = giop::negotiate(giop::own_code_sets(), &*info);
  return sets ? giop::encode_code_sets_context(*sets) : std::vector<std::uint8_t>{};
}

void local_roads(const giop::IiopProfile& profile, const Road& pattern, std::vector<Road>& roads, std::string& why_not) {
  const giop::Tagged* component = giop::find(profile.components, giop::component_tag::kLocalRoads);
  if (component == nullptr) return;
  const auto local = giop::decode_local_roads(component->data);
  if (!local) {
    why_not += " its local roads: " + local.error().message + ";";
    return;
  }
  if (local->host_identity.empty() || local->host_identity != platform::host_identity()) {
    why_not += " its local roads: on another host;";
    return;
  }
  for (const auto& offered : local->roads) {
    transport::Transport* transport = find_transport(offered.name);
    if (transport == nullptr) {
      why_not += " " + offered.name + ": not known here;";
      continue;
    }
    Road road = pattern;
    road.transport = transport;
    road.address = offered.address;
    road.code_sets.clear();  // both ends are Orbweaver's
    roads.push_back(std::move(road));
  }
}

/// omniORB's Unix socket, where that process is on this machine.
void omniorb_socket(const giop::IiopProfile& profile, const Road& pattern, std::vector<Road>& roads, std::string& why_not) {
  const giop::Tagged* component = giop::find(profile.components, giop::component_tag::kOmniOrbUnix);
  if (component == nullptr) return;
  const auto socket = giop::decode_omniorb_unix(component->data);
  if (!socket) {
    why_not += " omniORB's Unix socket: " + socket.error().message + ";";
  } else if (socket->host != platform::machine_name()) {
    why_not += " omniORB's Unix socket: on another host, " + socket->host + ";";
  } else if (socket->path.empty() || socket->path.front() != '/') {
    why_not += " omniORB's Unix socket: '" + socket->path + "' is no path;";
  } else {
    Road road = pattern;
    road.transport = &transport::unix_sockets();
    road.address = socket->path;
    roads.push_back(std::move(road));
  }
}

/// Whether the target is to be called in the clear as well.
bool secured_road(const giop::IiopProfile& profile, const Road& pattern, std::vector<Road>& roads, std::string& why_not) {
  const giop::Tagged* component = giop::find(profile.components, giop::component_tag::kSslSecTrans);
  if (component == nullptr) return true;
  const auto ssl = giop::decode_ssl_address(component->data);
  if (!ssl) {
    why_not += " its SSL component: " + ssl.error().message + ";";
    return false;  // what it would have asked for is not known
  }
  if (transport::Transport* const tls = find_transport("tls"); tls == nullptr) {
    why_not += " tls " + host_and_port(profile.host, ssl->port) +
               ": not known here, -ORBTransportPlugin liborbweaver-tls.so brings it;";
  } else if (ssl->port != 0) {
    Road road = pattern;
    road.transport = tls;
    road.address = host_and_port(profile.host, ssl->port);
    roads.push_back(std::move(road));
  }
  if (!ssl->requires_protection()) return true;
  if (profile.port != 0) why_not += " tcp: the server asks for protection;";
  return false;
}

}  // namespace

std::vector<Road> roads_of(const giop::Ior& ior, const std::vector<std::string>& preference, std::string& why_not) {
  std::vector<Road> roads;
  for (std::uint32_t at = 0; at < ior.profiles.size(); ++at) {
    const giop::Tagged& tagged = ior.profiles[at];
    if (tagged.tag != giop::profile_tag::kIiop) {
      why_not += " profile " + std::to_string(tagged.tag) + ": not IIOP;";
      continue;
    }
    auto profile = giop::decode_iiop_profile(tagged.data);
    if (!profile) {
      why_not += " an IIOP profile: " + profile.error().message + ";";
      continue;
    }
    Road pattern;
    pattern.version = std::min(profile->version, giop::kGiop12);
    pattern.object_key = profile->object_key;
    pattern.profile = at;
    pattern.code_sets = code_sets_context(profile->components, why_not);
    local_roads(*profile, pattern, roads, why_not);
    if (giop::find(profile->components, giop::component_tag::kLocalRoads) == nullptr) {
      omniorb_socket(*profile, pattern, roads, why_not);
    }
    if (!secured_road(*profile, pattern, roads, why_not)) continue;
    for (const giop::Tagged& component : profile->components) {
      if (component.tag != giop::component_tag::kUdpAddress) continue;
      if (const auto address = giop::decode_alternate_address(component.data)) {
        Road road = pattern;
        road.transport = &transport::udp();
        road.address = host_and_port(address->host, address->port);
        road.code_sets.clear();  // both ends are Orbweaver's
        roads.push_back(std::move(road));
      }
    }
    if (profile->port == 0) continue;  // the server does not listen on TCP
    pattern.transport = &transport::tcp();
    pattern.address = host_and_port(profile->host, profile->port);
    roads.push_back(pattern);
    for (const giop::Tagged& component : profile->components) {
      if (component.tag != giop::component_tag::kAlternateIiopAddress) continue;
      if (const auto other = giop::decode_alternate_address(component.data)) {
        pattern.address = host_and_port(other->host, other->port);
        roads.push_back(pattern);
      }
    }
  }
  const auto rank = [&](const Road& road) {
    return std::find(preference.begin(), preference.end(), road.transport->name()) - preference.begin();
  };
  std::erase_if(roads, [&](const Road& road) {
    const bool unwanted = rank(road) == static_cast<std::ptrdiff_t>(preference.size());
    if (unwanted) why_not += std::string(" ") + road.transport->name() + ": not in -ORBTransportPreference;";
    return unwanted;
  });
  std::stable_sort(roads.begin(), roads.end(), [&](const Road& a, const Road& b) { return rank(a) < rank(b); });
  return roads;
}

}  // namespace orbweaver::orb
