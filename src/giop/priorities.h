#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "giop/encapsulation.h"

/// Priorities of Real-time CORBA (formal/05-01-04) in references and messages: encapsulations. Decoders
/// return nothing for malformed data, and for priorities that are out of range. Inline: each library
/// contains what it uses.
namespace orbweaver::giop {

namespace policy_type {
inline constexpr std::uint32_t kPriorityModel = 40;
inline constexpr std::uint32_t kThreadpool = 41;
inline constexpr std::uint32_t kPrivateConnection = 44;
inline constexpr std::uint32_t kPriorityBandedConnection = 45;
}  // namespace policy_type

/// No priority: valid ones are 0 to 32767.
inline constexpr std::int16_t kNoPriority = -1;

/// The PriorityModelPolicy of an object, as its reference exposes it: policy 40 of TAG_POLICIES.
struct PriorityModel {
  bool client_propagated = false;  ///< Else SERVER_DECLARED.
  std::int16_t server_priority = 0;
  friend bool operator==(const PriorityModel&, const PriorityModel&) = default;
};

inline std::vector<std::uint8_t> encode_priority_model(const PriorityModel& model) {
  return encapsulated([&](cdr::Encoder& out) {
    out.put(std::uint32_t{model.client_propagated ? 0u : 1u});  // enum PriorityModel
    out.put(model.server_priority);
  });
}
inline std::optional<PriorityModel> decode_priority_model(Bytes value) {
  cdr::Decoder in = open_encapsulation(value);
  const auto model = in.get<std::uint32_t>();
  const auto priority = in.get<std::int16_t>();
  if (!in.ok() || model > 1 || priority < 0) return std::nullopt;
  return PriorityModel{model == 0, priority};
}

/// A range of priorities, both ends included: a band of a PriorityBandedConnectionPolicy.
struct PriorityRange {
  std::int16_t low = 0;
  std::int16_t high = 0;
  bool contains(std::int16_t priority) const noexcept { return low <= priority && priority <= high; }
  friend bool operator==(const PriorityRange&, const PriorityRange&) = default;
};

/// Policy 45 of TAG_POLICIES: the bands that the server requires.
inline std::vector<std::uint8_t> encode_priority_bands(const std::vector<PriorityRange>& bands) {
  return encapsulated([&](cdr::Encoder& out) {
    out.put(static_cast<std::uint32_t>(bands.size()));
    for (const PriorityRange& band : bands) {
      out.put(band.low);
      out.put(band.high);
    }
  });
}
inline std::optional<std::vector<PriorityRange>> decode_priority_bands(Bytes value) {
  cdr::Decoder in = open_encapsulation(value);
  std::vector<PriorityRange> bands;
  for (std::uint32_t n = in.get_length(4); n != 0 && in.ok(); --n) {
    const auto low = in.get<std::int16_t>();
    const auto high = in.get<std::int16_t>();
    if (low < 0 || high < low) return std::nullopt;
    bands.push_back({low, high});
  }
  if (!in.ok()) return std::nullopt;
  return bands;
}

/// Data of the service context RTCorbaPriority: the priority of a request or reply.
inline std::array<std::uint8_t, 4> encode_priority(std::int16_t priority) noexcept {
  std::array<std::uint8_t, 4> data{kThisMachineIsLittleEndian};
  std::memcpy(&data[2], &priority, sizeof priority);
  return data;
}
inline std::optional<std::int16_t> decode_priority(Bytes data) {
  cdr::Decoder in = open_encapsulation(data);
  const auto priority = in.get<std::int16_t>();
  if (!in.ok() || priority < 0) return std::nullopt;
  return priority;
}

/// Data of the service context RTCorbaPriorityRange: the band of a connection.
inline std::vector<std::uint8_t> encode_priority_range(const PriorityRange& range) {
  return encapsulated([&](cdr::Encoder& out) {
    out.put(range.low);
    out.put(range.high);
  });
}
inline std::optional<PriorityRange> decode_priority_range(Bytes data) {
  cdr::Decoder in = open_encapsulation(data);
  const auto low = in.get<std::int16_t>();
  const auto high = in.get<std::int16_t>();
  if (!in.ok() || low < 0 || high < low) return std::nullopt;
  return PriorityRange{low, high};
}

}  // namespace orbweaver::giop
