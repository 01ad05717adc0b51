#pragma once

#include <cstdint>

#include "idlc/ir/ir.h"

namespace orbweaver::idl::ir {

/// How values of a type lie in CDR, in bytes.
struct Layout {
  std::uint64_t least = 0;  ///< the fewest bytes a value takes
  std::uint64_t most = 0;   ///< the most, wherever it starts, padding included; 0: not fixed
  std::uint32_t align = 1;  ///< of the strictest member
  /// The value lies in memory as in CDR: no padding, every bit pattern valid. Then `least` is its size.
  bool plain = false;
};

Layout layout_of(const Type& type);
Layout layout_of(const std::vector<Field>& fields);

/// May values of this type be seen in place (`@view`)? Strings, and sequences of plain elements.
bool can_be_view(const Type& type);

}  // namespace orbweaver::idl::ir
