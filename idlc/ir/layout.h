#pragma once

#include "idlc/ir/ir.h"

namespace orbweaver::idl::ir {

Layout layout_of(const Type& type);
Layout layout_of(const std::vector<Field>& fields);

/// Whether `@view` is allowed for the type, so that values are used in the receive buffer: strings, and
/// sequences of plain elements.
bool can_be_view(const Type& type);

}  // namespace orbweaver::idl::ir
