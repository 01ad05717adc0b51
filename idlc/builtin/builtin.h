#pragma once

#include <string_view>

namespace orbweaver::idl {

/// IDL that the compiler carries with it: "orb.idl", "ir.idl" and "IOP.idl", found where no folder has them,
/// and adding what is missing where one has. Empty for any other name. Lives for ever.
std::string_view builtin_idl(std::string_view name);

}  // namespace orbweaver::idl
