// Selection of the endpoints of a reference that this process can use.
#include <algorithm>

#include "giop/codesets.h"
#include "giop/tagged_components.h"
#include "orb/core.h"
#include "orb/reference/reference.h"
#include "platform/process_identity.h"
#include "platform/socket_file.h"

namespace orbweaver::orb {
namespace {

std::string host_and_port(const std::string& host, std::uint16_t port) {
  return (host.find(':') != std::string::npos ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

/// CodeSets context of the first request; empty if the server published no code sets.
std::vector<std::uint8_t> code_sets_context(const std::vector<giop::TaggedData>& components,
                                            std::string& why_not) {
  const giop::TaggedData* component = giop::find(components, giop::component_tag::kCodeSets);
  if (component == nullptr) return {};
  const auto info = giop::decode_code_sets(component->data);
  if (!info) {
    why_not += " (its code sets: " + info.error().message + ")";
    return {};
  }
  const auto sets = giop::negotiate(giop::own_code_sets(), &*info);
  return sets ? giop::encode_code_sets_context(*sets) : std::vector<std::uint8_t>{};
}

void add_local_endpoints(const giop::IiopProfile& profile, const Endpoint& pattern,
                         std::vector<Endpoint>& endpoints, std::string& why_not) {
  const giop::TaggedData* component = giop::find(profile.components, giop::component_tag::kLocalEndpoints);
  if (component == nullptr) return;
  const auto local = giop::decode_local_endpoints(component->data);
  if (!local) {
    why_not += " local endpoints component: " + local.error().message + ";";
    return;
  }
  if (local->host_identity.empty() || local->host_identity != platform::host_identity()) {
    why_not += " local endpoints component: another host;";
    return;
  }
  for (const auto& offered : local->endpoints) {
    transport::Transport* transport = find_transport(offered.name);
    if (transport == nullptr) {
      why_not += " " + offered.name + ": unknown transport;";
      continue;
    }
    Endpoint endpoint = pattern;
    endpoint.transport = transport;
    endpoint.address = offered.address;
    endpoint.code_sets.clear();  // both ends are Orbweaver's
    endpoints.push_back(std::move(endpoint));
  }
}

/// Adds the Unix socket of an omniORB server on this host.
void add_omniorb_unix_endpoint(const giop::IiopProfile& profile, const Endpoint& pattern,
                               std::vector<Endpoint>& endpoints, std::string& why_not) {
  const giop::TaggedData* component = giop::find(profile.components, giop::component_tag::kOmniOrbUnix);
  if (component == nullptr) return;
  const auto socket = giop::decode_omniorb_unix(component->data);
  if (!socket) {
    why_not += " omniORB's Unix socket: " + socket.error().message + ";";
  } else if (socket->host != platform::host_name()) {
    why_not += " omniORB's Unix socket: another host, " + socket->host + ";";
  } else if (socket->path.empty() || socket->path.front() != '/') {
    why_not += " omniORB's Unix socket: '" + socket->path + "' is not an absolute path;";
  } else {
    Endpoint endpoint = pattern;
    endpoint.transport = &transport::unix_transport();
    endpoint.address = socket->path;
    endpoints.push_back(std::move(endpoint));
  }
}

/// Adds the TLS endpoint. Returns whether unprotected endpoints may be used as well.
bool add_tls_endpoint(const giop::IiopProfile& profile, const Endpoint& pattern,
                      std::vector<Endpoint>& endpoints, std::string& why_not) {
  const giop::TaggedData* component = giop::find(profile.components, giop::component_tag::kSslSecTrans);
  if (component == nullptr) return true;
  const auto ssl = giop::decode_ssl_address(component->data);
  if (!ssl) {
    why_not += " SSL component: " + ssl.error().message + ";";
    return false;  // its requirements are unknown
  }
  if (transport::Transport* const tls = find_transport("tls"); tls == nullptr) {
    why_not += " tls " + host_and_port(profile.host, ssl->port) +
               ": unknown transport, load -ORBTransportPlugin liborbweaver-tls.so;";
  } else if (ssl->port != 0) {
    Endpoint endpoint = pattern;
    endpoint.transport = tls;
    endpoint.address = host_and_port(profile.host, ssl->port);
    endpoints.push_back(std::move(endpoint));
  }
  if (!ssl->requires_protection()) return true;
  if (profile.port != 0) why_not += " tcp: server requires protection;";
  return false;
}

}  // namespace

std::vector<Endpoint> usable_endpoints(const giop::Ior& ior, const std::vector<std::string>& preference,
                                       std::string& why_not) {
  std::vector<Endpoint> endpoints;
  for (std::uint32_t at = 0; at < ior.profiles.size(); ++at) {
    const giop::TaggedData& tagged = ior.profiles[at];
    if (tagged.tag != giop::profile_tag::kIiop) {
      why_not += " profile " + std::to_string(tagged.tag) + ": not IIOP;";
      continue;
    }
    auto profile = giop::decode_iiop_profile(tagged.data);
    if (!profile) {
      why_not += " an IIOP profile: " + profile.error().message + ";";
      continue;
    }
    Endpoint pattern;
    pattern.version = std::min(profile->version, giop::kGiop12);
    pattern.object_key = profile->object_key;
    pattern.profile = at;
    pattern.code_sets = code_sets_context(profile->components, why_not);
    add_local_endpoints(*profile, pattern, endpoints, why_not);
    if (giop::find(profile->components, giop::component_tag::kLocalEndpoints) == nullptr) {
      add_omniorb_unix_endpoint(*profile, pattern, endpoints, why_not);
    }
    if (!add_tls_endpoint(*profile, pattern, endpoints, why_not)) continue;
    for (const giop::TaggedData& component : profile->components) {
      if (component.tag != giop::component_tag::kUdpAddress) continue;
      if (const auto address = giop::decode_alternate_address(component.data)) {
        Endpoint endpoint = pattern;
        endpoint.transport = &transport::udp_transport();
        endpoint.address = host_and_port(address->host, address->port);
        endpoint.code_sets.clear();  // both ends are Orbweaver's
        endpoints.push_back(std::move(endpoint));
      }
    }
    if (profile->port == 0) continue;  // the server does not listen on TCP
    pattern.transport = &transport::tcp_transport();
    pattern.address = host_and_port(profile->host, profile->port);
    endpoints.push_back(pattern);
    for (const giop::TaggedData& component : profile->components) {
      if (component.tag != giop::component_tag::kAlternateIiopAddress) continue;
      if (const auto other = giop::decode_alternate_address(component.data)) {
        pattern.address = host_and_port(other->host, other->port);
        endpoints.push_back(pattern);
      }
    }
  }
  const auto rank = [&](const Endpoint& endpoint) {
    return std::find(preference.begin(), preference.end(), endpoint.transport->name()) - preference.begin();
  };
  std::erase_if(endpoints, [&](const Endpoint& endpoint) {
    const bool unwanted = rank(endpoint) == static_cast<std::ptrdiff_t>(preference.size());
    if (unwanted)
      why_not += std::string(" ") + endpoint.transport->name() + ": not in -ORBTransportPreference;";
    return unwanted;
  });
  std::stable_sort(endpoints.begin(), endpoints.end(),
                   [&](const Endpoint& a, const Endpoint& b) { return rank(a) < rank(b); });
  return endpoints;
}

}  // namespace orbweaver::orb
