#pragma once

#include <string>
#include <vector>

#include "idlc/driver/output.h"
#include "idlc/ir/ir.h"
#include "idlc/source/diagnostics.h"

namespace orbweaver::idl {

struct CppOptions {
  /// Headers that the generated ones include, as after "#include": they declare the C++ of native types.
  std::vector<std::string> includes;
  bool ami = false;    ///< Asynchronous functions of stubs, reply handlers and pollers.
  bool amh = false;    ///< Skeletons of servants that answer later.
  bool micro = false;  ///< For liborbweaver-micro.so: no TypeCodes, and none of what it does not have.
};

/// Generates the C++ of a checked unit: fooC.h, fooC.cpp, fooS.h, fooS.cpp for foo.idl (IDL to C++11,
/// docs/idl.md). Reports each construct that the run time does not support as an error, and returns no files
/// then. The text is made while it is written: `unit` must outlive the files.
std::vector<OutputFile> generate_cpp(const ir::Unit& unit, Diagnostics& diagnostics,
                                     const CppOptions& options = {});

}  // namespace orbweaver::idl
