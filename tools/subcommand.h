#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace orbweaver::tools {

/// A subcommand of `orbweaver` is one file: it registers itself by one line at its end,
///
///   const bool registered = register_subcommand({"run", "Runs a waveform", set_up});
///
/// where set_up adds options to the CLI::App that it is given, and returns what is to be done when the
/// subcommand was chosen: that returns the exit status.
struct Subcommand {
  std::string name;
  std::string summary;
  std::function<std::function<int()>(CLI::App&)> set_up;
};

/// Before main(), in no particular order; the help sorts them by name.
bool register_subcommand(Subcommand subcommand);

/// Of all subcommands: 2 for a command line or input that is wrong.
inline constexpr int kExitBadInput = 2;

}  // namespace orbweaver::tools
