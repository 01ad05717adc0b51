#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <orbweaver/streams/packet_input.h>

/// @file
/// A small PacketInput for tests.
namespace orbweaver::streams::testing {

using Input = PacketInput<std::uint16_t>;
inline constexpr Deadline kPast{0};

/// At most 4 packets of at most 10 numbers of two bytes.
inline PacketInputOptions options(WhenFull when_full = WhenFull::reject) {
  return {{4, 80, when_full}, {10, 0, 10}};
}

inline PushResult push(Input& input, std::uint16_t stream_id = 1, std::size_t elements = 10,
                       bool purge = false) {
  const std::vector<std::uint16_t> payload(elements);
  return input.push({false, stream_id, 0, purge}, payload);
}

/// Takes packets until there is none, and returns the ids of their streams.
inline std::vector<std::uint16_t> take_all(Input& input) {
  std::vector<std::uint16_t> ids;
  StreamPacket<std::uint16_t> packet;
  while (input.take(packet, kPast) == TakeResult::taken) ids.push_back(packet.control.stream_id);
  return ids;
}
inline void take(Input& input) {
  StreamPacket<std::uint16_t> packet;
  ASSERT_EQ(input.take(packet, kPast), TakeResult::taken);
}

}  // namespace orbweaver::streams::testing
