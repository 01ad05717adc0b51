#pragma once

#include <string>
#include <vector>

#include "giop/bidirectional.h"
#include "giop/ior.h"
#include "transport/transport.h"

namespace orbweaver::orb {

/// A listening endpoint, as references contain it.
struct PublishedEndpoint {
  const transport::Transport* transport;
  std::string address;
  transport::Protection protection;  ///< Of EndpointForm::ssl.
};

/// Creates a reference to an object that is served at these endpoints. `publish_host` replaces the host in
/// addresses that have one, unless it is empty. `without_tcp`: the address of the profile if there is no TCP
/// endpoint; null: none. usable_endpoints reads what this function writes.
giop::Ior make_ior(const std::string& type_id, Bytes object_key,
                   const std::vector<PublishedEndpoint>& endpoints, const std::string& publish_host,
                   const giop::ListenPoint* without_tcp = nullptr);

/// The addresses of the TCP endpoints, or if `secure` of the TLS endpoints, in such references: at most
/// giop::kMaxListenPoints - 1, the first ones.
std::vector<giop::ListenPoint> listen_points(const std::vector<PublishedEndpoint>& endpoints,
                                             const std::string& publish_host, bool secure);

/// The published addresses that other hosts cannot use, because they are those of all interfaces: "tcp
/// 0.0.0.0:4711, tls [::]:4712". Empty if there are none, or if `publish_host` replaces them.
std::string unusable_addresses(const std::vector<PublishedEndpoint>& endpoints,
                               const std::string& publish_host);

/// The endpoints that references do not contain because this host has no identity (`host_identity` is empty):
/// "shm, unix". Empty if there are none. For tests, a parameter: platform::host_identity() is constant.
std::string unpublished_endpoints(const std::vector<PublishedEndpoint>& endpoints,
                                  const std::string& host_identity);

}  // namespace orbweaver::orb
