#pragma once

#include <string>
#include <string_view>

#include "idlc/cpp/cpp_generator.h"
#include "idlc/ir/ir.h"

/// The #include directives of generated files: whole lines.
namespace orbweaver::idl::cpp {

/// The generated headers of the IDL files that the main file includes; `suffix`: "C" or "S". A blank line
/// follows them.
std::string idl_includes(const ir::Unit& unit, std::string_view suffix);
/// The header of the run time for value types and abstract interfaces; empty if the file has none.
std::string value_include(const ir::Unit& unit);
/// The headers of the run time that declare the types of signatures, and those that the user names.
std::string signature_includes(const ir::Unit& unit, const CppOptions& options);
/// Selects the smallest sufficient header: most programs do not use TypeCodes and need only their names.
/// Empty for the micro library.
std::string typecode_include(const ir::Unit& unit, const CppOptions& options);

/// Whether the unit has a type of this kind.
bool uses(const ir::Unit& unit, ir::TypeKind kind);
/// Whether the main file has value types that programs encode themselves (custom).
bool has_custom_values(const ir::Unit& unit);

}  // namespace orbweaver::idl::cpp
