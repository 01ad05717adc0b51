// Settings of one sweep of `orbweaver bench userplane`: a sender of spaced packets and its receiver.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orbweaver::bench {

/// As plain data; the runner writes them on a program's command line.
struct UserplaneSettings {
  std::string transport = "udp";  ///< udp, tcp
  std::uint32_t ip = 4;           ///< version of the Internet Protocol: 4, 6
  std::uint32_t batch_us = 0;     ///< a packet may be delayed so long, to be sent with others; 0: it is not
  std::vector<std::uint32_t> spacing_us = {200, 100, 70, 50, 35, 25,
                                           15,  10,  5,  2,  0};  ///< between two packets
  std::uint32_t point_ms = 100;                                   ///< duration of each spacing

  bool operator==(const UserplaneSettings&) const = default;
};

/// A batch of this size is sent at once.
inline constexpr std::size_t kBatchBytes = 49'152;

/// Returns the command line arguments of the settings.
std::vector<std::string> to_args(const UserplaneSettings&);
/// Parses the output of to_args(); nullopt if an option or a value is unknown.
std::optional<UserplaneSettings> userplane_from_args(const std::vector<std::string>& args);

/// The loopback address of that version, as in the address of an ORB: "127.0.0.1", "[::1]".
inline const char* loopback_of(const UserplaneSettings& settings) {
  return settings.ip == 6 ? "[::1]" : "127.0.0.1";
}

}  // namespace orbweaver::bench
