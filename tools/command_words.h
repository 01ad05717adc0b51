#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace orbweaver::tools {

/// The subcommands of `app` that its help lists, in the order of their registration.
std::vector<const CLI::App*> listed_commands(const CLI::App& app);

/// Checks the first words of a command line, the program's name excluded, since CLI11's errors do not name an
/// unknown subcommand. Returns the error message, or an empty string. `kind_of`: what a command of a
/// subcommand is, such as "experiment".
std::string mistake_in_command(const CLI::App& app, const std::vector<std::string>& words,
                               const std::string& (*kind_of)(const std::string& subcommand));

}  // namespace orbweaver::tools
