#pragma once

#include <orbweaver/any.h>

#include <optional>
#include <string>

namespace orbweaver::sca {

/// Converts a property's value to an Any of the IDL type that its PRF names ("ulong": CORBA unsigned long;
/// "objref": the reference as a string). Throws std::invalid_argument if `text` is not a value of the type.
CORBA::Any any_of(const std::string& type, const std::string& text);

/// Converts an Any to the property's text; nullopt if the type is not one of a simple property.
std::optional<std::string> text_of(const CORBA::Any& value);

/// The name in PRFs of the type of a simple property's value ("ulong"); empty for other types.
std::string type_name_of(const CORBA::Any& value);

}  // namespace orbweaver::sca
