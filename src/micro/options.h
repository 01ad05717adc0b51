#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "platform/clock.h"

namespace orbweaver::micro {

/// Options of an ORB; docs/micro.md describes them. Times in milliseconds; 0: none.
struct Options {
  std::string listen;        ///< Address in the form of the transport; empty: loopback, any port.
  std::string publish_host;  ///< Empty: the host listened on.
  std::vector<std::pair<std::string, std::string>> initial_references;
  std::size_t max_message_bytes = limits::kDefaultMessageBytes;
  std::size_t receive_bytes = 4 * limits::kDefaultMessageBytes;
  std::size_t max_connections = 100;
  std::size_t max_outgoing_connections = 100;
  std::int64_t call_timeout_ms = 0;
  std::int64_t connect_timeout_ms = 10'000;
  std::int64_t handshake_timeout_ms = 10'000;
  std::int64_t message_timeout_ms = 60'000;
  std::int64_t reply_timeout_ms = 60'000;
  std::int64_t idle_timeout_ms = 180'000;
  bool log = true;
};

/// The deadline after a time of Options.
inline platform::Deadline deadline_of(std::int64_t ms) noexcept {
  return ms == 0 ? platform::Deadline::never() : platform::Deadline::in_ms(ms);
}

/// Removes the options for the ORB from argc and argv and sets them in `options`. Raises BAD_PARAM
/// (0x4f57003e) for an option that is unknown or has an invalid value; no argument has been removed then.
void parse_options(int& argc, char* argv[], Options& options);

}  // namespace orbweaver::micro
