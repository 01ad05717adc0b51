#pragma once

#include "idlc/ir/ir.h"

namespace orbweaver::idl::ir {

/// Whether values of the type contain values of value types, or references to abstract interfaces. Those
/// within an any do not count.
bool holds_values(const Type& type);
/// Whether the members of a struct, union or exception do.
bool holds_values(const Declaration& declaration);
/// Whether this is CORBA::AbstractBase, the base of all abstract interfaces.
bool is_abstract_base(const Declaration& declaration);

}  // namespace orbweaver::idl::ir
