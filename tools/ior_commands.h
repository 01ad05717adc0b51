#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>

namespace orbweaver::tools {

/// Adds the commands `build` and `edit` to `orbweaver ior`. The returned function runs the one that was
/// given, and returns its exit status; nothing, if none was.
std::function<std::optional<int>()> add_ior_commands(CLI::App& app);

}  // namespace orbweaver::tools
