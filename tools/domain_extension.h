#pragma once

#include <orbweaver/result.h>

#include <CLI/CLI.hpp>
#include <functional>

#include "sca/cf222/domain_server.h"

namespace orbweaver::tools {

/// An addition to `orbweaver domain` that not every build has, in a file of its own, which registers it as a
/// subcommand is registered (subcommand.h).
struct DomainExtension {
  /// Changes the options of a domain that is to be served, as the command line says.
  using Complete = std::function<Result<void>(sca::DomainServerOptions&)>;

  /// Adds options to the command.
  std::function<Complete(CLI::App&)> set_up;
};

/// Called before main(). There is at most one extension that sets DomainServerOptions::attach, and one that
/// sets shared_state.
bool register_domain_extension(DomainExtension extension);

}  // namespace orbweaver::tools
