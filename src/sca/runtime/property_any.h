#pragma once

#include <orbweaver/any.h>

#include <optional>
#include <string>
#include <vector>

#include <orbweaver/sca/property_value.h>

/// Values of properties in anys, as both editions of the SCA pass them: simple values as the IDL type that
/// the PRF names ("ulong": unsigned long; "objref": the reference as a string), sequences as sequences of it,
/// structs as CF::Properties, sequences of structs as sequences of anys of these; complex numbers and times
/// as REDHAWK's types CF::complexFloat, …, CF::UTCTime.
namespace orbweaver::sca {

/// Converts a simple value. Throws std::invalid_argument if `text` is not a value of the type.
CORBA::Any any_of(const std::string& type, const std::string& text);
/// As above, also of complex numbers.
CORBA::Any any_of(const SimpleType& type, const std::string& text);
/// Converts a sequence of simple values.
CORBA::Any sequence_any(const SimpleType& type, const std::vector<std::string>& elements);
/// Converts a value of any form, whose members all have types in `type`. Throws std::invalid_argument.
CORBA::Any any_of(const DeclaredType& type, const PropertyValue& value);

/// Converts an any to a simple property's text; nullopt if the type is not one of a simple property.
std::optional<std::string> text_of(const CORBA::Any& value);
/// Converts an any of a property of any form; nullopt if no property has such a type. An empty sequence of
/// anys is one of structs.
std::optional<PropertyValue> value_of(const CORBA::Any& value);

/// The name in PRFs of the type of a simple property's value ("ulong"); empty for other types.
std::string type_name_of(const CORBA::Any& value);
/// The type of a value; nullopt if no property has such a type. Members of structs in a sequence are those of
/// all its elements.
std::optional<DeclaredType> declared_type_of(const CORBA::Any& value);

}  // namespace orbweaver::sca
