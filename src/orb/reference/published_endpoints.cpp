#include "orb/reference/published_endpoints.h"

#include <algorithm>
#include <utility>

#include "giop/codesets.h"
#include "giop/tagged_components.h"
#include "platform/ip_address.h"
#include "platform/process_identity.h"
#include "platform/socket_file.h"

namespace orbweaver::orb {
namespace {

using giop::IiopAddress;
using giop::IiopProfile;
using transport::EndpointForm;
using namespace giop::component_tag;

/// Splits "host:port" or "[v6]:port".
IiopAddress split_host_port(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  IiopAddress split{address.substr(0, colon),
                    static_cast<std::uint16_t>(std::stoul(address.substr(colon + 1)))};
  if (split.host.size() > 1 && split.host.front() == '[')
    split.host = split.host.substr(1, split.host.size() - 2);
  return split;
}

/// Whether `host` is 0.0.0.0 or ::, which stand for all interfaces of a listener.
bool is_of_all_interfaces(const std::string& host) {
  const auto address = platform::parse_ip_address(host);
  if (!address) return false;
  const auto begin = address->bytes.begin() + (address->is_v4() ? platform::kIpV4PrefixBits / 8 : 0);
  return std::all_of(begin, address->bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

/// The endpoints, sorted by their form.
struct SortedEndpoints {
  giop::LocalEndpoints local;
  std::vector<giop::TaggedData> paths;
  std::vector<IiopAddress> iiop;
  std::vector<std::pair<std::uint32_t, IiopAddress>> tagged;
  std::vector<std::pair<IiopAddress, transport::Protection>> ssl;
};

SortedEndpoints sort_by_form(const std::vector<PublishedEndpoint>& endpoints,
                             const std::string& publish_host) {
  SortedEndpoints sorted;
  sorted.local = {platform::host_identity(), static_cast<std::uint32_t>(platform::user_id()), {}};
  for (const PublishedEndpoint& endpoint : endpoints) {
    const transport::TransportTraits& traits = endpoint.transport->traits();
    if (traits.form == EndpointForm::local) {
      sorted.local.endpoints.push_back({endpoint.transport->name(), endpoint.address});
      if (traits.path_component_tag != 0 && endpoint.address.front() == '/') {
        sorted.paths.push_back({traits.path_component_tag,
                                giop::encode_omniorb_unix({platform::host_name(), endpoint.address})});
      }
      continue;
    }
    IiopAddress address = split_host_port(endpoint.address);
    if (!publish_host.empty()) address.host = publish_host;
    if (traits.form == EndpointForm::iiop) sorted.iiop.push_back(address);
    if (traits.form == EndpointForm::tagged) sorted.tagged.emplace_back(traits.component_tag, address);
    if (traits.form == EndpointForm::ssl) sorted.ssl.emplace_back(address, endpoint.protection);
  }
  return sorted;
}

/// Creates the component of a secure endpoint at `port`. `alone`: the object has no unprotected network
/// endpoint beside it.
giop::TaggedData ssl_component(std::uint16_t port, const transport::Protection& protection, bool alone) {
  using namespace giop::association;
  giop::SslAddress component{
      kIntegrity | kConfidentiality | kDetectReplay | kDetectMisordering | kEstablishTrustInTarget, 0, port};
  if (protection.accepts_client_certificate) component.target_supports |= kEstablishTrustInClient;
  if (alone) {
    component.target_requires = kIntegrity | kConfidentiality;
    if (protection.requires_client_certificate) component.target_requires |= kEstablishTrustInClient;
  } else {
    component.target_supports |= kNoProtection;
  }
  return {kSslSecTrans, giop::encode_ssl_address(component)};
}

/// Adds the secure endpoints to the first profile or to further ones. An SSL component has a port for the
/// host of its profile, and a profile has one such component: each further address gets a profile of its own.
void add_ssl_endpoints(const SortedEndpoints& sorted, std::vector<IiopProfile>& profiles) {
  for (const auto& [address, protection] : sorted.ssl) {
    const bool fits_first_profile = address.host == profiles.front().host &&
                                    giop::find(profiles.front().components, kSslSecTrans) == nullptr;
    if (!fits_first_profile) {
      profiles.push_back({profiles.front().version, address.host, 0, profiles.front().object_key, {}});
    }
    IiopProfile& at = fits_first_profile ? profiles.front() : profiles.back();
    at.components.push_back(ssl_component(address.port, protection, at.port == 0 && sorted.tagged.empty()));
  }
}

}  // namespace

std::string unusable_addresses(const std::vector<PublishedEndpoint>& endpoints,
                               const std::string& publish_host) {
  std::string all;
  if (!publish_host.empty()) return all;
  for (const PublishedEndpoint& endpoint : endpoints) {
    if (endpoint.transport->traits().form == EndpointForm::local) continue;
    if (!is_of_all_interfaces(split_host_port(endpoint.address).host)) continue;
    all += std::string(all.empty() ? "" : ", ") + endpoint.transport->name() + " " + endpoint.address;
  }
  return all;
}

std::string unpublished_endpoints(const std::vector<PublishedEndpoint>& endpoints,
                                  const std::string& host_identity) {
  std::string all;
  if (!host_identity.empty()) return all;
  for (const PublishedEndpoint& endpoint : endpoints) {
    if (endpoint.transport->traits().form == EndpointForm::local)
      all += std::string(all.empty() ? "" : ", ") + endpoint.transport->name();
  }
  return all;
}

std::vector<giop::ListenPoint> listen_points(const std::vector<PublishedEndpoint>& endpoints,
                                             const std::string& publish_host, bool secure) {
  const SortedEndpoints sorted = sort_by_form(endpoints, publish_host);
  std::vector<giop::ListenPoint> points;
  if (secure) {
    for (const auto& [address, protection] : sorted.ssl) points.push_back({address.host, address.port});
  } else {
    for (const IiopAddress& address : sorted.iiop) points.push_back({address.host, address.port});
  }
  constexpr std::size_t kMost = giop::kMaxListenPoints - 1;  // and the address of references without TCP
  if (points.size() > kMost) points.resize(kMost);
  return points;
}

giop::Ior make_ior(const std::string& type_id, Bytes object_key,
                   const std::vector<PublishedEndpoint>& endpoints, const std::string& publish_host,
                   const giop::ListenPoint* without_tcp) {
  SortedEndpoints sorted = sort_by_form(endpoints, publish_host);
  if (sorted.iiop.empty() && without_tcp != nullptr)
    sorted.iiop.push_back({without_tcp->host, without_tcp->port});
  std::vector<IiopProfile> profiles(1);
  IiopProfile& first = profiles.front();
  first.object_key.assign(object_key.begin(), object_key.end());
  first.host = publish_host;
  if (!sorted.iiop.empty()) {
    first.host = sorted.iiop.front().host;
    first.port = sorted.iiop.front().port;
  }
  if (first.host.empty()) first.host = sorted.ssl.empty() ? "localhost" : sorted.ssl.front().first.host;
  first.components = sorted.paths;
  add_ssl_endpoints(sorted, profiles);
  std::vector<giop::TaggedData>& components = profiles.front().components;
  components.push_back({kOrbType, giop::encode_orb_type(kOurOrbType)});
  components.push_back({kCodeSets, giop::encode_code_sets(giop::own_code_sets())});
  for (std::size_t at = 1; at < sorted.iiop.size(); ++at)
    components.push_back({kAlternateIiopAddress, giop::encode_alternate_address(sorted.iiop[at])});
  for (const auto& [tag, address] : sorted.tagged)
    components.push_back({tag, giop::encode_alternate_address(address)});
  if (!sorted.local.endpoints.empty() && !sorted.local.host_identity.empty())
    components.push_back({kLocalEndpoints, giop::encode_local_endpoints(sorted.local)});
  giop::Ior ior{type_id, {}};
  for (const IiopProfile& profile : profiles)
    ior.profiles.push_back({giop::profile_tag::kIiop, giop::encode_iiop_profile(profile)});
  return ior;
}

}  // namespace orbweaver::orb
