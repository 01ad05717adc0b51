#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace orbweaver::tools {

/// `orbweaver complete WORD…`, which the completion script of bash calls (packaging/bash-completion): prints
/// how the last word can be completed. `words` are those after "orbweaver", up to the cursor; the last one
/// may be empty. A line each: first "words", "files" or "folders", the last two if names of files or folders
/// on this host fit, too, then each word that fits. Returns the exit status.
int complete(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace orbweaver::tools
