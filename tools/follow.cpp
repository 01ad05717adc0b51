#include "follow.h"

#include "base/printable.h"
#include "platform/process.h"
#include "platform/standard_error.h"
#include "platform/standard_output.h"

namespace orbweaver::tools {

Result<std::string> follow(const std::string& command,
                           const std::function<Result<void>(const sca::FollowOutput&)>& followed) {
  platform::TerminationSignals signals;
  bool ended = false;
  sca::FollowOutput output;
  output.print = [&](const std::string& text) -> Result<void> {
    const int error = platform::write_standard_output(text, signals.arrived());
    if (error == 0) return {};
    ended =
        ended || platform::wait_while_output_is_read(signals.arrived(), 0) != platform::OutputWait::timed_out;
    return Error{ErrorKind::unavailable, "standard output cannot be written: " + platform::error_text(error)};
  };
  output.note = [&](const std::string& line) {
    platform::write_standard_error("orbweaver " + command + ": " + printable(line) + "\n");
  };
  output.wait = [&](int timeout_ms) {
    ended = ended || platform::wait_while_output_is_read(signals.arrived(), timeout_ms) !=
                         platform::OutputWait::timed_out;
    return !ended;
  };
  const auto result = followed(output);
  while (signals.take() != 0) {  // which would otherwise end the process when they are unblocked
  }
  if (!result && !ended) return result.error();
  return std::string();
}

}  // namespace orbweaver::tools
