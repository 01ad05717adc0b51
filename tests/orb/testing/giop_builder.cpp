#include "testing/giop_builder.h"

#include <stdexcept>

#include "giop/tagged_components.h"
#include "platform/process_identity.h"

namespace orbtest {

namespace giop = orbweaver::giop;

Message::Message(giop::MessageType type, Order order, std::uint8_t minor_version, std::uint8_t flags)
    : order_(order), bytes_{'G',
                            'I',
                            'O',
                            'P',
                            1,
                            minor_version,
                            static_cast<std::uint8_t>(flags | (order == Order::little)),
                            static_cast<std::uint8_t>(type),
                            0,
                            0,
                            0,
                            0} {}

Message& Message::octet(std::uint8_t value) {
  bytes_.push_back(value);
  return *this;
}

Message& Message::align(std::size_t alignment) {
  bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment);
  return *this;
}

Message& Message::real(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, 8);
  return number(bits);
}

Message& Message::text(std::string_view value) {
  ulong(static_cast<std::uint32_t>(value.size() + 1));
  bytes_.insert(bytes_.end(), value.begin(), value.end());
  return octet(0);
}

Message& Message::octets(const Octets& value) {
  ulong(static_cast<std::uint32_t>(value.size()));
  bytes_.insert(bytes_.end(), value.begin(), value.end());
  return *this;
}

Octets Message::bytes() const {
  return bytes_announcing(static_cast<std::uint32_t>(bytes_.size() - giop::kHeaderBytes));
}

Octets Message::bytes_announcing(std::uint32_t body_bytes) const {
  Octets whole = bytes_;
  for (std::size_t i = 0; i < 4; ++i) {
    whole[8 + i] = static_cast<std::uint8_t>(body_bytes >> (8 * (order_ == Order::little ? i : 3 - i)));
  }
  return whole;
}

Message request(std::uint32_t id, const Octets& key, std::string_view operation, Order order,
                std::uint8_t response_flags) {
  Message message(giop::MessageType::request, order);
  message.ulong(id)
      .octet(response_flags)
      .octet(0)
      .octet(0)
      .octet(0)
      .ushort(0)
      .octets(key)
      .text(operation)
      .ulong(0);
  return message.align(8);
}

Message reply(std::uint32_t id, std::uint32_t status) {
  Message message(giop::MessageType::reply, kHere);
  return message.ulong(id).ulong(status).ulong(0).align(8);
}

Where where(const std::string& reference) {
  const auto ior = giop::parse_ior(reference);
  if (!ior) throw std::runtime_error(ior.error().message);
  const auto profile = giop::decode_iiop_profile(ior->profiles.at(0).data);
  if (!profile) throw std::runtime_error(profile.error().message);
  Where found{profile->port, profile->object_key, {}, {}};
  if (const auto* component = giop::find(profile->components, giop::component_tag::kLocalEndpoints)) {
    const auto local = giop::decode_local_endpoints(component->data);
    for (const auto& endpoint : local->endpoints) {
      if (endpoint.name == "shm") found.shm = endpoint.address;
      if (endpoint.name == "mqueue") found.mqueue = endpoint.address;
    }
  }
  return found;
}

std::string reference_to(std::uint16_t port, const Octets& key, const std::string& rendezvous,
                         const std::string& transport) {
  giop::IiopProfile profile;
  profile.host = "127.0.0.1";
  profile.port = port;
  profile.object_key = key;
  if (!rendezvous.empty()) {
    const giop::LocalEndpoints local{orbweaver::platform::host_identity(),
                                     static_cast<std::uint32_t>(orbweaver::platform::user_id()),
                                     {{transport, rendezvous}}};
    profile.components.push_back({giop::component_tag::kLocalEndpoints, giop::encode_local_endpoints(local)});
  }
  return giop::stringify(
      {"IDL:OrbTest/Calls:1.0", {{giop::profile_tag::kIiop, giop::encode_iiop_profile(profile)}}});
}

}  // namespace orbtest
