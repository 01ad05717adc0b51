#pragma once

#include <orbweaver/any.h>

#include <optional>
#include <string>

namespace orbweaver::sca {

/// A property's value in an any of the IDL type that its PRF names ("ulong": CORBA unsigned long; "objref": the
/// reference as a string). Throws std::invalid_argument where `text` is no value of the type.
CORBA::Any any_of(const std::string& type, const std::string& text);

/// The value as text; nothing where it is of a type that no simple property has.
std::optional<std::string> text_of(const CORBA::Any& value);

}  // namespace orbweaver::sca
