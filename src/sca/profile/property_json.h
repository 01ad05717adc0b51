#pragma once

#include <orbweaver/result.h>

#include <nlohmann/json.hpp>
#include <string>

#include <orbweaver/sca/property_value.h>

/// Values of properties in JSON: numbers, booleans and texts, a sequence as an array, a struct as an object,
/// a sequence of structs as an array of objects. Complex numbers ("1.5+j2") and times are texts.
namespace orbweaver::sca {

/// The value in JSON. Members without a type are texts.
nlohmann::json json_of(const DeclaredType& type, const PropertyValue& value);

/// As DeviceRequirement::value has a value that is not simple: JSON in which simple values are texts. Invalid
/// UTF-8, which a device may send, is replaced by U+FFFD.
std::string structured_text(const PropertyValue& value);

/// Reads a value of any form. An empty array is a sequence of simple values. Fails with ErrorKind::invalid.
Result<PropertyValue> value_of_json(const nlohmann::json& json);
/// As above, of a text that may be no JSON: then, and if it is no array or object, it is a simple value.
Result<PropertyValue> value_of_text(const std::string& text);

}  // namespace orbweaver::sca
