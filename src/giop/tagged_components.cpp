#include "giop/tagged_components.h"

#include "giop/encapsulation.h"

namespace orbweaver::giop {
namespace {

/// The version of kLocalEndpoints that is written here; later versions only append fields.
constexpr std::uint8_t kLocalEndpointsVersion = 1;

std::string read_string(cdr::Decoder& in) { return std::string(in.get_string_view()); }

/// Calls `read(Decoder&)` on the encapsulation `data`. Fails with ErrorKind::invalid; `what` names the
/// component.
template <class Read>
auto decoded(const char* what, Bytes data, Read&& read)
    -> Result<decltype(read(std::declval<cdr::Decoder&>()))> {
  cdr::Decoder in = open_encapsulation(data);
  auto value = read(in);
  if (!in.ok()) return Error{ErrorKind::invalid, malformed(what, in).message};
  return value;
}

}  // namespace

std::vector<std::uint8_t> encode_orb_type(std::uint32_t orb_type) {
  return encapsulated([&](cdr::Encoder& out) { out.put(orb_type); });
}

Result<std::uint32_t> decode_orb_type(Bytes data) {
  return decoded("ORB type component", data, [](cdr::Decoder& in) { return in.get<std::uint32_t>(); });
}

std::vector<std::uint8_t> encode_alternate_address(const IiopAddress& address) {
  return encapsulated([&](cdr::Encoder& out) {
    out.put_string(address.host);
    out.put(address.port);
  });
}

Result<IiopAddress> decode_alternate_address(Bytes data) {
  return decoded("alternate IIOP address component", data, [](cdr::Decoder& in) {
    IiopAddress address;
    address.host = read_string(in);
    address.port = in.get<std::uint16_t>();
    return address;
  });
}

std::vector<std::uint8_t> encode_omniorb_unix(const OmniOrbUnixAddress& address) {
  return encapsulated([&](cdr::Encoder& out) {
    out.put_string(address.host);
    out.put_string(address.path);
  });
}

Result<OmniOrbUnixAddress> decode_omniorb_unix(Bytes data) {
  return decoded("omniORB Unix-socket component", data, [](cdr::Decoder& in) {
    OmniOrbUnixAddress address;
    address.host = read_string(in);
    address.path = read_string(in);
    return address;
  });
}

std::vector<std::uint8_t> encode_ssl_address(const SslAddress& address) {
  return encapsulated([&](cdr::Encoder& out) {
    out.put(address.target_supports);
    out.put(address.target_requires);
    out.put(address.port);
  });
}

Result<SslAddress> decode_ssl_address(Bytes data) {
  return decoded("SSL component", data, [](cdr::Decoder& in) {
    SslAddress address;
    address.target_supports = in.get<std::uint16_t>();
    address.target_requires = in.get<std::uint16_t>();
    address.port = in.get<std::uint16_t>();
    return address;
  });
}

std::vector<std::uint8_t> encode_policies(const std::vector<PolicyValue>& policies) {
  return encapsulated([&](cdr::Encoder& out) {
    out.put(static_cast<std::uint32_t>(policies.size()));
    for (const PolicyValue& policy : policies) {
      out.put(policy.type);
      put_octets(out, policy.value);
    }
  });
}

Result<std::vector<PolicyValue>> decode_policies(Bytes data) {
  return decoded("policies component", data, [](cdr::Decoder& in) {
    std::vector<PolicyValue> policies;
    for (std::uint32_t n = in.get_length(8); n != 0 && in.ok(); --n) {
      const auto type = in.get<std::uint32_t>();
      const Bytes value = get_octets(in);
      policies.push_back({type, {value.begin(), value.end()}});
    }
    return policies;
  });
}

std::vector<std::uint8_t> encode_local_endpoints(const LocalEndpoints& endpoints) {
  return encapsulated([&](cdr::Encoder& out) {
    out.put(kLocalEndpointsVersion);
    out.put_string(endpoints.host_identity);
    out.put(endpoints.uid);
    out.put(static_cast<std::uint32_t>(endpoints.endpoints.size()));
    for (const LocalEndpoints::Endpoint& endpoint : endpoints.endpoints) {
      out.put_string(endpoint.name);
      out.put_string(endpoint.address);
    }
  });
}

Result<LocalEndpoints> decode_local_endpoints(Bytes data) {
  return decoded("local endpoints component", data, [](cdr::Decoder& in) {
    LocalEndpoints endpoints;
    if (in.get<std::uint8_t>() < kLocalEndpointsVersion) in.fail(cdr::Fault::bad_enum);
    endpoints.host_identity = read_string(in);
    endpoints.uid = in.get<std::uint32_t>();
    for (std::uint32_t n = in.get_length(8); n != 0 && in.ok(); --n) {
      LocalEndpoints::Endpoint endpoint;
      endpoint.name = read_string(in);
      endpoint.address = read_string(in);
      endpoints.endpoints.push_back(std::move(endpoint));
    }
    return endpoints;
  });
}

}  // namespace orbweaver::giop
