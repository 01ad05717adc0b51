#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace orbweaver::sca {

/// A point in time: seconds since 1970-01-01 00:00:00 UTC, without leap seconds.
struct UtcTime {
  std::int64_t seconds = 0;  ///< Whole seconds.
  double fraction = 0;       ///< Of a second: at least 0, less than 1.
  /// Compares all members.
  friend bool operator==(const UtcTime&, const UtcTime&) = default;
};

/// A named value beside the samples of a stream, such as {"CHAN_RF", 101.5e6}. The components that exchange
/// it define the ids.
struct Keyword {
  std::string id;                                               ///< Unique in its metadata.
  std::variant<bool, std::int64_t, double, std::string> value;  ///< The value.
  /// Compares all members.
  friend bool operator==(const Keyword&, const Keyword&) = default;
};

/// What a sender says of a stream beside its samples: StreamMetadata of Stream.idl as plain data.
struct StreamMetadata {
  std::string name;               ///< Id of the stream among the components that pass it on; may be empty.
  std::optional<UtcTime> start;   ///< Time of the first sample of the next packet.
  std::vector<Keyword> keywords;  ///< In the order of the sender.
  /// Compares all members.
  friend bool operator==(const StreamMetadata&, const StreamMetadata&) = default;
};

}  // namespace orbweaver::sca
