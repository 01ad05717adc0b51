#pragma once

#include <string>
#include <vector>

namespace orbweaver::idl {

/// A file that a back end has made.
struct OutputFile {
  std::string name;  ///< within the output folder: "echoC.h"
  std::string text;
};

/// Writes the files into `folder`, each as a whole or not at all. A file that holds the same text already is
/// left alone, so that nothing is rebuilt for it. Returns what went wrong, or an empty string.
std::string write_files(const std::string& folder, const std::vector<OutputFile>& files);

/// A Make rule: the outputs depend on every file that was read.
std::string dependency_rule(const std::string& folder, const std::vector<OutputFile>& outputs,
                            const std::vector<std::string>& inputs);

/// Writes one file as a whole; a device or a pipe is written to. Returns what went wrong, or an empty string.
std::string write_file(const std::string& path, const std::string& text);

/// Writes to standard output. Returns what went wrong, or an empty string.
std::string print(const std::string& text);

}  // namespace orbweaver::idl
