#pragma once

#include <string>
#include <vector>

namespace orbweaver::idl {

/// A generated file.
struct OutputFile {
  std::string name;  ///< relative to the output folder: "echoC.h"
  std::string text;
};

/// Writes the files into `folder`, which is created if necessary. Each file is replaced atomically. A file
/// that has the same text already is not touched, so that nothing is rebuilt. Returns an error message, or an
/// empty string.
std::string write_files(const std::string& folder, const std::vector<OutputFile>& files);

/// A Make rule by which the outputs depend on all input files.
std::string dependency_rule(const std::string& folder, const std::vector<OutputFile>& outputs,
                            const std::vector<std::string>& inputs);

/// Writes one file: replaces a regular file atomically, and writes directly to a device or a pipe. Returns an
/// error message, or an empty string.
std::string write_file(const std::string& path, const std::string& text);

/// Writes to standard output. Returns an error message, or an empty string.
std::string print(const std::string& text);

}  // namespace orbweaver::idl
