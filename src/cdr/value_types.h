#pragma once

#include <orbweaver/value.h>

#include <string>
#include <string_view>

/// The value types and the factories that the process knows, by their repository ids. Any thread.
namespace orbweaver::values {

/// The value type or box of that id in the IDL of this program; null if there is none.
const ValueType* known_type(std::string_view id);

/// Makes an empty value: a box, or what the registered factory makes. Null if there is none.
CORBA::object_reference<CORBA::ValueBase> make(std::string_view id);

/// Whether values of the type, or of one of its bases, are marshalled by the program.
bool is_custom(const ValueType& type) noexcept;

}  // namespace orbweaver::values
