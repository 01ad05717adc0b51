#pragma once

#include <memory>
#include <string>

#include "idlc/ir/ir.h"
#include "idlc/preprocess/preprocess.h"

namespace orbweaver::idl {

/// A file on its way through the stages. `unit` is null where there are errors.
struct Compiled {
  Preprocessed preprocessed;
  std::unique_ptr<ir::Unit> unit;
};

/// Source to checked IR: preprocess, parse, check. Everything wrong with the file is in `diagnostics`.
Compiled compile(Sources& sources, std::uint32_t file, const PreprocessOptions& options,
                 Diagnostics& diagnostics);
/// The same for a path; a file that cannot be read is one diagnostic.
Compiled compile(Sources& sources, const std::string& path, const PreprocessOptions& options,
                 Diagnostics& diagnostics);

}  // namespace orbweaver::idl
