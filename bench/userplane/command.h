// Implementation of `orbweaver bench userplane` without its command line.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "settings.h"

namespace orbweaver::bench {

struct UserplanePlan {
  std::vector<std::string> transports = {"udp", "tcp"};
  std::vector<std::uint32_t> ips = {4, 6};            ///< versions of the Internet Protocol
  std::vector<std::uint32_t> batches_us = {0, 1000};  ///< longest delays of a packet; 0: sent at once
  std::vector<std::string> subjects = {"floor", "orbweaver", "omniorb"};
  std::string mix;                   ///< file of a mix of messages; empty: the Internet mix
  std::vector<std::uint32_t> bytes;  ///< messages of these sizes instead of the mix
  std::vector<std::uint32_t> spacing_us = UserplaneSettings().spacing_us;
  std::uint32_t point_ms = UserplaneSettings().point_ms;
  unsigned rounds = 5;      ///< of new processes, interleaved
  double cpu_percent = 20;  ///< load of the receiver at which throughput is compared
  std::string pin = "two";  ///< two, none
};

/// Sweeps the spacing of the sender for each transport, version of IP and size of messages with each subject
/// that is built and has it. Prints the tables to `out`, and writes the rows to `json_file` unless it is
/// empty ("-": rows to `out`, tables to `err`). `programs`: the folder of the subjects' programs, and of the
/// Internet mix. Returns the exit status: 0; 1 if a process failed or the file could not be written; 2 for an
/// invalid plan or mix, with one line on `err`.
int run_userplane_command(const UserplanePlan& plan, const std::string& programs,
                          const std::string& json_file, std::ostream& out, std::ostream& err);

/// Whether this machine has the address ::1; `interfaces`: a file such as /proc/net/if_inet6.
bool has_ipv6_loopback(const std::string& interfaces = "/proc/net/if_inet6");

}  // namespace orbweaver::bench
