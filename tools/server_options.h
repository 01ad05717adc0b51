#pragma once

#include <orbweaver/result.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "server/server_options.h"

namespace orbweaver::tools {

/// The options of a server program on its command line.
struct ServerArguments {
  server::ServerOptions server;
  bool transient = false;
  std::vector<std::string> orb;  ///< "Tune=max-connections=50"

  /// The options, with the default state file of that name. Errors: invalid for an --orb without "=";
  /// unavailable if there is no folder for the state.
  Result<server::ServerOptions> complete(const std::string& default_state) const;
};

/// Adds the options of a server to its command. `state` and `object` are what the help calls the default
/// state file, and the object whose IOR is written.
void add_server_options(CLI::App& app, ServerArguments& arguments, const std::string& state,
                        const std::string& object);

}  // namespace orbweaver::tools
