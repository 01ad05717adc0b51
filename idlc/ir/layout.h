#pragma once

#include "idlc/ir/ir.h"

namespace orbweaver::idl::ir {

Layout layout_of(const Type& type);
Layout layout_of(const std::vector<Field>& fields);

/// May values of this type be seen in place (`@view`)? Strings, and sequences of plain elements.
bool can_be_view(const Type& type);

}  // namespace orbweaver::idl::ir
