// Selection of the endpoints of a reference that this process can use.
#include <algorithm>

#include "giop/codesets.h"
#include "giop/tagged_components.h"
#include "orb/core.h"
#include "orb/reference/reference.h"
#include "platform/process_identity.h"
#include "platform/socket_file.h"
#include "transport/plugins.h"

namespace orbweaver::orb {
namespace {

using transport::EndpointForm;

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

/// Reads the priority model of the object, which few servers publish.
void read_priority_model(const std::vector<giop::TaggedData>& components, Endpoint& endpoint,
                         std::string& why_not) {
  const giop::TaggedData* const component = giop::find(components, giop::component_tag::kPolicies);
  if (component == nullptr) return;
  const auto policies = giop::decode_policies(component->data);
  if (!policies) {
    why_not += " (its policies: " + policies.error().message + ")";
    return;
  }
  for (const giop::PolicyValue& policy : *policies) {
    if (policy.type != giop::policy_type::kPriorityModel) continue;
    const auto model = giop::decode_priority_model(policy.value);
    if (!model) continue;
    endpoint.propagates_priority = model->client_propagated;
    if (!model->client_propagated) endpoint.server_priority = model->server_priority;
  }
}

/// Adds an endpoint of each transport at `address`, otherwise as `pattern`.
void add_endpoints(const std::vector<transport::Transport*>& transports, const std::string& address,
                   const Endpoint& pattern, std::vector<Endpoint>& endpoints) {
  for (transport::Transport* const each : transports) {
    endpoints.push_back(pattern);
    endpoints.back().transport = each;
    endpoints.back().address = address;
  }
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
  if (platform::host_identity().empty()) {
    why_not += " local endpoints component: this host cannot be identified: mount /proc;";
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
    if (!transport::is_supported(*transport)) {
      why_not += " " + offered.name + ": " + transport::kUnsupported + ";";
      continue;
    }
    Endpoint endpoint = pattern;
    endpoint.transport = transport;
    endpoint.address = offered.address;
    endpoint.code_sets.clear();  // both ends are Orbweaver's
    endpoints.push_back(std::move(endpoint));
  }
}

/// Adds the Unix socket of an omniORB server on this host, which connects `transport`.
void add_omniorb_unix_endpoint(transport::Transport& transport, const giop::TaggedData& component,
                               const Endpoint& pattern, std::vector<Endpoint>& endpoints,
                               std::string& why_not) {
  const auto socket = giop::decode_omniorb_unix(component.data);
  if (!socket) {
    why_not += " omniORB's Unix socket: " + socket.error().message + ";";
  } else if (socket->host != platform::host_name()) {
    why_not += " omniORB's Unix socket: another host, " + socket->host + ";";
  } else if (socket->path.empty() || socket->path.front() != '/') {
    why_not += " omniORB's Unix socket: '" + socket->path + "' is not an absolute path;";
  } else {
    Endpoint endpoint = pattern;
    endpoint.transport = &transport;
    endpoint.address = socket->path;
    endpoints.push_back(std::move(endpoint));
  }
}

void add_omniorb_unix_endpoints(const giop::IiopProfile& profile, const Endpoint& pattern,
                                std::vector<Endpoint>& endpoints, std::string& why_not) {
  for (transport::Transport* const each : transport::all_of(EndpointForm::local)) {
    const std::uint32_t tag = each->traits().path_component_tag;
    if (tag == 0) continue;
    if (const giop::TaggedData* component = giop::find(profile.components, tag))
      add_omniorb_unix_endpoint(*each, *component, pattern, endpoints, why_not);
  }
}

/// Why no transport reads the SSL component: the plug-in is not loaded.
std::string missing_ssl_transport(const std::string& address) {
  std::string why;
  for (const transport::PluginLibrary& each : transport::plugin_libraries()) {
    if (each.form != EndpointForm::ssl) continue;
    why += std::string(" ") + each.transport + " " + address +
           ": unknown transport, load -ORBTransportPlugin " + each.library + ";";
  }
  return why;
}

/// Adds the secure endpoints. Returns whether unprotected endpoints may be used as well.
bool add_ssl_endpoints(const giop::IiopProfile& profile, const Endpoint& pattern,
                       std::vector<Endpoint>& endpoints, std::string& why_not) {
  const giop::TaggedData* component = giop::find(profile.components, giop::component_tag::kSslSecTrans);
  if (component == nullptr) return true;
  const auto ssl = giop::decode_ssl_address(component->data);
  if (!ssl) {
    why_not += " SSL component: " + ssl.error().message + ";";
    return false;  // its requirements are unknown
  }
  const std::vector<transport::Transport*> transports = transport::all_of(EndpointForm::ssl);
  if (transports.empty()) why_not += missing_ssl_transport(host_and_port(profile.host, ssl->port));
  if (ssl->port != 0) add_endpoints(transports, host_and_port(profile.host, ssl->port), pattern, endpoints);
  if (!ssl->requires_protection()) return true;
  if (profile.port == 0) return false;
  for (const transport::Transport* each : transport::all_of(EndpointForm::iiop))
    why_not += std::string(" ") + each->name() + ": server requires protection;";
  return false;
}

void add_tagged_endpoints(const giop::IiopProfile& profile, Endpoint pattern,
                          std::vector<Endpoint>& endpoints) {
  pattern.code_sets.clear();  // both ends are Orbweaver's
  for (transport::Transport* const each : transport::all_of(EndpointForm::tagged)) {
    for (const giop::TaggedData& component : profile.components) {
      if (component.tag != each->traits().component_tag) continue;
      if (const auto address = giop::decode_alternate_address(component.data))
        add_endpoints({each}, host_and_port(address->host, address->port), pattern, endpoints);
    }
  }
}

void add_iiop_endpoints(const giop::IiopProfile& profile, const Endpoint& pattern,
                        std::vector<Endpoint>& endpoints) {
  if (profile.port == 0) return;  // the server does not listen on TCP
  const std::vector<transport::Transport*> transports = transport::all_of(EndpointForm::iiop);
  add_endpoints(transports, host_and_port(profile.host, profile.port), pattern, endpoints);
  for (const giop::TaggedData& component : profile.components) {
    if (component.tag != giop::component_tag::kAlternateIiopAddress) continue;
    if (const auto other = giop::decode_alternate_address(component.data))
      add_endpoints(transports, host_and_port(other->host, other->port), pattern, endpoints);
  }
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
    read_priority_model(profile->components, pattern, why_not);
    add_local_endpoints(*profile, pattern, endpoints, why_not);
    if (giop::find(profile->components, giop::component_tag::kLocalEndpoints) == nullptr) {
      add_omniorb_unix_endpoints(*profile, pattern, endpoints, why_not);
    }
    if (!add_ssl_endpoints(*profile, pattern, endpoints, why_not)) continue;
    add_tagged_endpoints(*profile, pattern, endpoints);
    add_iiop_endpoints(*profile, pattern, endpoints);
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
  if (why_not.ends_with(';')) why_not.pop_back();
  return endpoints;
}

}  // namespace orbweaver::orb
