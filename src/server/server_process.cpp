#include "server/server_process.h"

#include <cstdio>
#include <filesystem>

#include "base/whole_file.h"
#include "platform/environment.h"

namespace orbweaver::server {

namespace fs = std::filesystem;

Result<std::string> default_state_file(const std::string& name) {
  const char* const state = platform::environment("XDG_STATE_HOME");
  const char* const home = platform::environment("HOME");
  fs::path folder;
  if (state != nullptr && *state == '/') {
    folder = state;
  } else if (home != nullptr && *home == '/') {
    folder = fs::path(home) / ".local/state";
  } else {
    return Error{ErrorKind::unavailable,
                 "there is no folder for the state: HOME is not set; name a file with --state"};
  }
  folder /= "orbweaver";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return Error{ErrorKind::unavailable,
                 folder.string() + ": cannot be created: " + error.message() + "; name a file with --state"};
  }
  return (folder / name).string();
}

Result<void> announce(const ServerOptions& options, const std::string& reference, const std::string& text) {
  if (!options.ior_file.empty() && !write_whole_file(options.ior_file, reference + "\n"))
    return Error{ErrorKind::unavailable, "--ior-file " + options.ior_file + " cannot be written"};
  if (options.print_ior) std::printf("%s\n", reference.c_str());
  std::printf("%s: serving %s\n", options.program.c_str(), text.c_str());
  if (std::fflush(stdout) == 0) return {};
  return Error{ErrorKind::unavailable, "standard output cannot be written"};
}

void wait_for_signal(platform::TerminationSignals& signals) {
  platform::Poller poller;
  poller.add(signals.arrived());
  while (signals.take() == 0) poller.wait(-1);
}

}  // namespace orbweaver::server
