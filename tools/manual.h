#pragma once

#include <CLI/CLI.hpp>

namespace orbweaver::tools {

/// `orbweaver manual`: prints the man page of the command, orbweaver(1), which the build installs. Returns
/// the exit status.
int print_manual(const CLI::App& app);

}  // namespace orbweaver::tools
