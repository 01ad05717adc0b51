#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <vector>

#include "giop/bidirectional.h"
#include "giop/service_context.h"
#include "testing/raw_peer.h"

/// Messages of a client that offers its connection, without an ORB.
namespace bidirtest {

constexpr std::uint8_t kTwoWay = 3, kOneWay = 0;

inline std::uint32_t id_of(const orbtest::Octets& message) {
  std::uint32_t id;
  std::memcpy(&id, message.data() + orbweaver::giop::kHeaderBytes, 4);
  return id;
}
/// The type of a message; CloseConnection if there is none.
inline orbweaver::giop::MessageType type_of(const std::optional<orbtest::Octets>& message) {
  using orbweaver::giop::MessageType;
  return message ? static_cast<MessageType>(message->at(7)) : MessageType::close_connection;
}

/// A request with a BI_DIR_IIOP context, up to its arguments.
inline orbtest::Message offering(std::uint32_t id, const orbtest::Octets& key, std::string_view operation,
                                 const orbtest::Octets& context, std::uint8_t response_flags = kTwoWay) {
  orbtest::Message message(orbweaver::giop::MessageType::request);
  message.ulong(id).octet(response_flags).octet(0).octet(0).octet(0).ushort(0).octets(key).text(operation);
  return message.ulong(1).ulong(orbweaver::giop::context_id::kBiDirIiop).octets(context).align(8);
}
inline orbtest::Message offering(std::uint32_t id, const orbtest::Octets& key, std::string_view operation,
                                 const std::vector<orbweaver::giop::ListenPoint>& points) {
  return offering(id, key, operation, orbweaver::giop::encode_listen_points(points));
}
/// A reference to an object at a listen point, as an argument.
inline orbtest::Message& add_reference(orbtest::Message& message, const orbweaver::giop::ListenPoint& at) {
  namespace giop = orbweaver::giop;
  giop::IiopProfile profile{giop::kGiop12, at.host, at.port, {1, 2, 3}, {}};
  return message.text("IDL:BidirTest/Node:1.0")
      .ulong(1)
      .ulong(giop::profile_tag::kIiop)
      .octets(giop::encode_iiop_profile(profile));
}
/// Claims `point`, and attaches an object there to the node with this key.
inline void attach(orbtest::RawPeer& peer, std::uint32_t id, const orbtest::Octets& key,
                   const orbweaver::giop::ListenPoint& point) {
  orbtest::Message request = offering(id, key, "attach", std::vector<orbweaver::giop::ListenPoint>{point});
  peer.sends(add_reference(request, point).bytes());
  EXPECT_EQ(type_of(peer.receives()), orbweaver::giop::MessageType::reply);
}

}  // namespace bidirtest
