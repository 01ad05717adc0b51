#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace orbweaver::tools {

/// A subcommand of `orbweaver`. Its file registers it by one line at its end,
///
///   const bool registered = register_subcommand({"run", "Runs a waveform", set_up});
///
/// where set_up adds options to the given CLI::App and returns the function to call if the subcommand is
/// chosen; that function returns the exit status.
struct Subcommand {
  std::string name;
  std::string summary;
  std::function<std::function<int()>(CLI::App&)> set_up;
  std::string command_kind = "command";  ///< What a command of the subcommand is, for messages.
};

/// Registers a subcommand. Called before main(), in any order; the help sorts subcommands by name.
bool register_subcommand(Subcommand subcommand);

/// Writes `text` to standard output. Returns an error message, or an empty string.
std::string print(const std::string& text);

/// Exit status of a subcommand whose result cannot be written.
inline constexpr int kExitNotWritten = 1;
/// Exit status of every subcommand for an invalid command line or input.
inline constexpr int kExitBadInput = 2;

}  // namespace orbweaver::tools
