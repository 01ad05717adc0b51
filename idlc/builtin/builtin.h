#pragma once

#include <string_view>

namespace orbweaver::idl {

/// The text of an IDL file built into the compiler: "orb.idl", "ir.idl" or "IOP.idl"; empty for any other
/// name. It is used if no include folder has the file; otherwise it adds the declarations that the found file
/// lacks. The text has static storage duration.
std::string_view builtin_idl(std::string_view name);

}  // namespace orbweaver::idl
