#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "giop/ior.h"

/// Tagged components of a profile. Decoders fail with ErrorKind::invalid.
namespace orbweaver::giop {

namespace component_tag {
inline constexpr std::uint32_t kOrbType = 0;
inline constexpr std::uint32_t kCodeSets = 1;  ///< codesets.h
inline constexpr std::uint32_t kPolicies = 2;
inline constexpr std::uint32_t kAlternateIiopAddress = 3;
inline constexpr std::uint32_t kSslSecTrans = 20;  ///< TAG_SSL_SEC_TRANS
inline constexpr std::uint32_t kGroup = 39;
inline constexpr std::uint32_t kOmniOrbUnix = 0x41545402;
inline constexpr std::uint32_t kLocalEndpoints = 0x4F574252;  ///< "OWBR": of Orbweaver, docs/formats/ior.md
inline constexpr std::uint32_t kOurOrbType = 0x4F574252;      ///< Orbweaver's value of kOrbType.
}  // namespace component_tag

std::vector<std::uint8_t> encode_orb_type(std::uint32_t orb_type);
Result<std::uint32_t> decode_orb_type(Bytes data);

/// A further address of the object (TAG_ALTERNATE_IIOP_ADDRESS).
struct IiopAddress {
  std::string host;
  std::uint16_t port = 0;
  friend bool operator==(const IiopAddress&, const IiopAddress&) = default;
};
std::vector<std::uint8_t> encode_alternate_address(const IiopAddress& address);
Result<IiopAddress> decode_alternate_address(Bytes data);

/// The Unix socket of an omniORB server on `host`.
struct OmniOrbUnixAddress {
  std::string host;  ///< The host name.
  std::string path;
  friend bool operator==(const OmniOrbUnixAddress&, const OmniOrbUnixAddress&) = default;
};
std::vector<std::uint8_t> encode_omniorb_unix(const OmniOrbUnixAddress& address);
Result<OmniOrbUnixAddress> decode_omniorb_unix(Bytes data);

/// Bits of Security::AssociationOptions: protection and authentication of a connection.
namespace association {
inline constexpr std::uint16_t kNoProtection = 1;
inline constexpr std::uint16_t kIntegrity = 2;
inline constexpr std::uint16_t kConfidentiality = 4;
inline constexpr std::uint16_t kDetectReplay = 8;
inline constexpr std::uint16_t kDetectMisordering = 16;
inline constexpr std::uint16_t kEstablishTrustInTarget = 32;
inline constexpr std::uint16_t kEstablishTrustInClient = 64;
}  // namespace association

/// The TLS port of the host of a profile (SSLIOP::SSL, CORBA Security Service 1.8, 3.7.3).
struct SslAddress {
  std::uint16_t target_supports = 0;  ///< Bits of `association`.
  std::uint16_t target_requires = 0;
  std::uint16_t port = 0;
  /// Whether the target must not be called over plain TCP, even if its profile has a port.
  bool requires_protection() const noexcept {
    return (target_requires & (association::kIntegrity | association::kConfidentiality)) != 0;
  }
  friend bool operator==(const SslAddress&, const SslAddress&) = default;
};
std::vector<std::uint8_t> encode_ssl_address(const SslAddress& address);
Result<SslAddress> decode_ssl_address(Bytes data);

/// A policy that the server exposes (TAG_POLICIES); the value is an encapsulation.
struct PolicyValue {
  std::uint32_t type = 0;
  std::vector<std::uint8_t> value;
  friend bool operator==(const PolicyValue&, const PolicyValue&) = default;
};
std::vector<std::uint8_t> encode_policies(const std::vector<PolicyValue>& policies);
Result<std::vector<PolicyValue>> decode_policies(Bytes data);

/// The endpoints of an object for clients on the same host. Clients on other hosts ignore them.
struct LocalEndpoints {
  struct Endpoint {
    std::string name;     ///< The transport's name: "shm", "unix", "inproc".
    std::string address;  ///< As passed to the transport's `connect`.
    friend bool operator==(const Endpoint&, const Endpoint&) = default;
  };
  std::string host_identity;  ///< Equal for processes of the same running host: platform::host_identity.
  std::uint32_t uid = 0;      ///< The server's user.
  std::vector<Endpoint> endpoints;  ///< In the order in which the server listens.
  friend bool operator==(const LocalEndpoints&, const LocalEndpoints&) = default;
};
std::vector<std::uint8_t> encode_local_endpoints(const LocalEndpoints& endpoints);
/// Decodes the component. Fields that a later version appends are ignored.
Result<LocalEndpoints> decode_local_endpoints(Bytes data);

}  // namespace orbweaver::giop
