#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orbweaver::idl {

/// Receives a text in pieces, in order.
using TextSink = std::function<void(std::string_view)>;
/// Writes a text, the same one at each call.
using TextWriter = std::function<void(const TextSink&)>;

/// A generated file.
struct OutputFile {
  OutputFile(std::string file_name, TextWriter writer)
      : name(std::move(file_name)), write(std::move(writer)) {}
  OutputFile(std::string file_name, std::string text)
      : OutputFile(std::move(file_name), [text = std::move(text)](const TextSink& out) { out(text); }) {}

  std::string name;  ///< relative to the output folder: "echoC.h"
  TextWriter write;

  /// The whole text.
  std::string text() const;
};

/// Writes the files into `folder`, which is created if necessary. Each file is
/// replaced atomically. A file that has the same text already is not touched,
/// so that nothing is rebuilt. Returns an error message, or an empty string.
std::string write_files(const std::string& folder, const std::vector<OutputFile>& files);

/// A Make rule by which the outputs depend on all input files.
std::string dependency_rule(const std::string& folder, const std::vector<OutputFile>& outputs,
                            const std::vector<std::string>& inputs);

/// Writes one file: replaces a regular file atomically, and writes directly to
/// a device or a pipe. Returns an error message, or an empty string.
std::string write_file(const std::string& path, const TextWriter& write);
std::string write_file(const std::string& path, const std::string& text);

/// Writes to standard output. Returns an error message, or an empty string.
std::string print(const std::string& text);

}  // namespace orbweaver::idl
