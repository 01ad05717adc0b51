// Settings of one measurement of `orbweaver bench scale`: how a server, or the start of components, scales
// with their number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orbweaver::bench {

/// What there is many of.
enum class ScalePart {
  clients,    ///< connections of a client process to a server with one object
  objects,    ///< active objects in a server with one connection
  components  ///< processes that are started and send a first packet
};

std::string_view name(ScalePart);
/// The part with that name; nullopt if there is none.
std::optional<ScalePart> scale_part(std::string_view name);

/// As plain data; the runner writes them on a program's command line.
struct ScaleSettings {
  ScalePart part = ScalePart::clients;
  std::uint32_t count = 1;                   ///< of clients, objects or components
  std::string threads = "connection";        ///< of the server, as of -ORBThreads: connection, pool:N
  std::uint32_t calls = 10'000;              ///< that are measured, of all callers together
  std::vector<std::uint32_t> callers = {1};  ///< threads that call at the same time, one measurement for each

  bool operator==(const ScaleSettings&) const = default;
};

/// The numbers of callers that can be measured: a connection is used by one caller at a time, so that there
/// are at most as many as clients, and one for objects.
std::vector<std::uint32_t> possible_callers(const ScaleSettings&);

/// Threads of the pool if the server's threads are "pool:N" with N from 1 to 999; nullopt for other modes.
std::optional<std::uint32_t> pool_size(const std::string& threads);

/// Returns the command line arguments of the settings.
std::vector<std::string> to_args(const ScaleSettings&);
/// Parses the output of to_args(); nullopt if an option or a value is unknown.
std::optional<ScaleSettings> scale_from_args(const std::vector<std::string>& args);

}  // namespace orbweaver::bench
