// Settings of one measurement of `orbweaver bench profile`: the latency from a call to the data in the
// processing thread of a port.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orbweaver::bench {

/// Packets before those that are measured: connections and caches.
inline constexpr std::uint32_t kProfileWarmUp = 200;

/// As plain data; the runner writes them on a program's command line.
struct ProfileSettings {
  std::string transport = "unix";
  std::string wait = "block";          ///< the ORB's wait strategy: spin, adaptive, block
  std::string threads = "connection";  ///< of the receiver, as of -ORBThreads: connection, pool:N, single
  std::uint32_t samples = 512;         ///< of a packet, each of two shorts
  std::uint32_t packets = 20'000;      ///< that are measured
  std::uint32_t interval_us = 200;     ///< between two calls, at least
  bool interceptors = false;           ///< stamp in interceptors, too; Orbweaver's programs only

  std::uint32_t all_packets() const { return packets + kProfileWarmUp; }
  bool operator==(const ProfileSettings&) const = default;
};

/// Returns the command line arguments of the settings.
std::vector<std::string> to_args(const ProfileSettings&);
/// Parses the output of to_args(); nullopt if an option or a value is unknown.
std::optional<ProfileSettings> profile_from_args(const std::vector<std::string>& args);

}  // namespace orbweaver::bench
