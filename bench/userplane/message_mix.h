// Sizes of the messages of `orbweaver bench userplane`, from an XML file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/plan.h"

namespace orbweaver::bench {

inline constexpr std::uint32_t kSmallestMessage = 16, kLargestMessage = 32'768;

/// Messages of one range of sizes, evenly distributed between `min` and `max` bytes.
struct SizeRange {
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  double share = 0;  ///< of all messages, in percent

  bool operator==(const SizeRange&) const = default;
};

/// Content of such a file: ranges whose shares have a sum of 100.
struct MessageMix {
  std::string name;
  std::vector<SizeRange> ranges;
};

/// An unusable file. what() is one line, "FILE:LINE: what was found; what to do".
struct InvalidMix : InvalidPlan {
  using InvalidPlan::InvalidPlan;
};

/// Reads a file: an element `messagemix` with an attribute `name`, and in it elements `size` with the
/// attributes `min`, `max` and `share`. Throws InvalidMix.
MessageMix read_message_mix(const std::string& path);
/// The same from the file's text. `path` is for messages.
MessageMix parse_message_mix(std::string_view text, const std::string& path);
/// All messages have `bytes` bytes.
MessageMix messages_of(std::uint32_t bytes);

/// Sizes of consecutive messages, which repeat from the beginning.
using MessageSizes = std::array<std::uint32_t, 1000>;

/// Sizes in which each range occurs as often as its share says, in a random order that is always the same.
MessageSizes sizes_of(const MessageMix&);
double mean_bytes(const MessageSizes&);

}  // namespace orbweaver::bench
