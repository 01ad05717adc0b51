#pragma once

#include <memory>
#include <string>

#include "idlc/ir/ir.h"
#include "idlc/preprocess/preprocess.h"

namespace orbweaver::idl {

/// The result of preprocessing, parsing and checking a file. `unit` is null if there are errors.
struct CompileResult {
  TranslationUnit preprocessed;
  std::unique_ptr<ir::Unit> unit;
};

/// Compiles a loaded file to checked IR: preprocesses, parses and checks it. Adds errors to `diagnostics`.
CompileResult compile(Sources& sources, std::uint32_t file, const PreprocessOptions& options,
                      Diagnostics& diagnostics);
/// Loads the file `path` and compiles it. A file that cannot be read causes one diagnostic.
CompileResult compile(Sources& sources, const std::string& path, const PreprocessOptions& options,
                      Diagnostics& diagnostics);

}  // namespace orbweaver::idl
