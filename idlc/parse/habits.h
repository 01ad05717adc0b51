#pragma once

#include <string_view>

namespace orbweaver::idl {

/// What IDL calls a type that other languages call `name` ("int", "uint32_t", "vector"), as a sentence that
/// says what to do; empty if the name is nothing that people bring along.
std::string_view instead_of_type(std::string_view name);

/// The same for a word that other languages put before an operation ("static", "virtual").
std::string_view instead_of_modifier(std::string_view word);

}  // namespace orbweaver::idl
