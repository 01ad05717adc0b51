#pragma once

#include <functional>
#include <vector>

#include "idlc/ir/ir.h"

/// The declarations of a unit, as the generators visit them.
namespace orbweaver::idl::cpp {

using Contents = std::vector<const ir::Declaration*>;

/// Visits all declarations of the main file in order; those nested in interfaces and structs come before the
/// enclosing one.
void each_declaration(const Contents& contents, const std::function<void(const ir::Declaration&)>& visit);
/// The same for interfaces only.
void each_interface(const Contents& contents, const std::function<void(const ir::Interface&)>& visit);

/// The types that are defined within the members of a struct, an exception or a union, or within a value
/// type; also the operations and the members of the latter. Empty for other declarations.
const Contents& nested_declarations(const ir::Declaration& declaration);
/// The contents of an interface or a value type.
const Contents& contents_of(const ir::Declaration& decl);
/// Whether it is a value type or a value box.
bool is_value(const ir::Declaration& decl);
/// Interfaces that the main file forward-declares and no file defines.
std::vector<const ir::Interface*> interfaces_only_declared(const ir::Unit& unit);

}  // namespace orbweaver::idl::cpp
