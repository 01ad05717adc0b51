#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "giop/ior.h"

/// What the tagged components of a profile say. Decoders fail with Remedy::mend.
namespace orbweaver::giop {

namespace component_tag {
inline constexpr std::uint32_t kOrbType = 0;
inline constexpr std::uint32_t kCodeSets = 1;  ///< codesets.h
inline constexpr std::uint32_t kPolicies = 2;
inline constexpr std::uint32_t kAlternateIiopAddress = 3;
inline constexpr std::uint32_t kSslSecTrans = 20;  ///< TAG_SSL_SEC_TRANS
inline constexpr std::uint32_t kGroup = 39;
inline constexpr std::uint32_t kOmniOrbUnix = 0x41545402;
inline constexpr std::uint32_t kLocalRoads = 0x4F574252;  ///< "OWBR": ours, docs/formats/ior.md
inline constexpr std::uint32_t kUdpAddress = 0x4F574255;  ///< "OWBU": ours; laid out as kAlternateIiopAddress.
inline constexpr std::uint32_t kOurOrbType = 0x4F574252;  ///< What we put under kOrbType.
}  // namespace component_tag

std::vector<std::uint8_t> encode_orb_type(std::uint32_t orb_type);
Result<std::uint32_t> decode_orb_type(Bytes data);

/// A further address at which the same object is reached.
struct IiopAddress {
  std::string host;
  std::uint16_t port = 0;
  friend bool operator==(const IiopAddress&, const IiopAddress&) = default;
};
std::vector<std::uint8_t> encode_alternate_address(const IiopAddress& address);
Result<IiopAddress> decode_alternate_address(Bytes data);

/// Where an omniORB process on `host` listens on a Unix socket.
struct OmniOrbUnixAddress {
  std::string host;  ///< The machine's name.
  std::string path;
  friend bool operator==(const OmniOrbUnixAddress&, const OmniOrbUnixAddress&) = default;
};
std::vector<std::uint8_t> encode_omniorb_unix(const OmniOrbUnixAddress& address);
Result<OmniOrbUnixAddress> decode_omniorb_unix(Bytes data);

/// What a connection protects, and who proves who it is to whom: Security::AssociationOptions, as bits.
namespace association {
inline constexpr std::uint16_t kNoProtection = 1;
inline constexpr std::uint16_t kIntegrity = 2;
inline constexpr std::uint16_t kConfidentiality = 4;
inline constexpr std::uint16_t kDetectReplay = 8;
inline constexpr std::uint16_t kDetectMisordering = 16;
inline constexpr std::uint16_t kEstablishTrustInTarget = 32;
inline constexpr std::uint16_t kEstablishTrustInClient = 64;
}  // namespace association

/// That the host of the profile also talks TLS, at another port (SSLIOP::SSL, CORBA Security Service 1.8, 3.7.3).
struct SslAddress {
  std::uint16_t target_supports = 0;  ///< Of association.
  std::uint16_t target_requires = 0;
  std::uint16_t port = 0;
  /// Plain TCP is not for this target, whatever port its profile names.
  bool requires_protection() const noexcept {
    return (target_requires & (association::kIntegrity | association::kConfidentiality)) != 0;
  }
  friend bool operator==(const SslAddress&, const SslAddress&) = default;
};
std::vector<std::uint8_t> encode_ssl_address(const SslAddress& address);
Result<SslAddress> decode_ssl_address(Bytes data);

/// A policy the server exposes; its value is an encapsulation of its own.
struct PolicyValue {
  std::uint32_t type = 0;
  std::vector<std::uint8_t> value;
  friend bool operator==(const PolicyValue&, const PolicyValue&) = default;
};
std::vector<std::uint8_t> encode_policies(const std::vector<PolicyValue>& policies);
Result<std::vector<PolicyValue>> decode_policies(Bytes data);

/// The ways to an object that stay on its machine. Callers on another host ignore them.
struct LocalRoads {
  struct Road {
    std::string name;     ///< The transport's name: "shm", "unix", "inproc".
    std::string address;  ///< In the form that the transport's `connect` takes.
    friend bool operator==(const Road&, const Road&) = default;
  };
  std::string host_identity;  ///< Equal strings: the same running machine.
  std::uint32_t uid = 0;      ///< Of the server's user.
  std::vector<Road> roads;    ///< In the order in which the server listens.
  friend bool operator==(const LocalRoads&, const LocalRoads&) = default;
};
std::vector<std::uint8_t> encode_local_roads(const LocalRoads& roads);
/// A later version of the component, with more behind what is known here, is read as far as it is known.
Result<LocalRoads> decode_local_roads(Bytes data);

}  // namespace orbweaver::giop
