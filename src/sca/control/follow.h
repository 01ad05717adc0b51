#pragma once

#include <orbweaver/result.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sca/control/domain_client.h"

/// What `orbweaver event follow` and `log follow` do: they print what happens in a domain, until they are
/// ended. They call the domain, and are called by nobody: a client behind a firewall can follow, too.
namespace orbweaver::sca {

/// Output and end of a command that follows. Called by the thread that follows.
struct FollowOutput {
  /// Prints whole lines. Errors: unavailable if they cannot be written.
  std::function<Result<void>(const std::string& text)> print;
  /// Prints a line that is not part of the output.
  std::function<void(const std::string& line)> note;
  /// Waits at most `timeout_ms`. False: the command ends.
  std::function<bool(int timeout_ms)> wait;
};

/// Names of the channels that every domain has (SCA 2.2.2 3.1.3.2.3.4.2).
std::vector<std::string> standard_channels();

/// Prints the events of the channels from now on, a line each, as a pull consumer of each channel. Returns
/// when `output` ends it; the consumers are then disconnected. A channel keeps events for a slow consumer
/// within its limits (docs/events.md). Errors: unavailable if there is no such channel, or the domain ends or
/// does not answer any more.
Result<void> follow_events(const ControlOptions& options, const std::vector<std::string>& channels,
                           const FollowOutput& output);

/// Prints the last `lines` records of the log that is bound as `log` in the domain's naming context, and
/// those that follow, a line each. Ends, and errors, as those of follow_events.
Result<void> follow_log(const ControlOptions& options, const std::string& log, std::uint64_t lines,
                        const FollowOutput& output);

}  // namespace orbweaver::sca
