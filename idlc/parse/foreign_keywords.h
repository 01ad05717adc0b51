#pragma once

#include <string_view>

namespace orbweaver::idl {

/// A suggestion that names the IDL equivalent of a type of another language ("int", "uint32_t", "vector");
/// empty if `name` is not such a type.
std::string_view suggestion_for_foreign_type(std::string_view name);

/// A suggestion for a modifier that other languages put before an operation ("static", "virtual"); empty if
/// `word` is not such a modifier.
std::string_view suggestion_for_foreign_modifier(std::string_view word);

}  // namespace orbweaver::idl
