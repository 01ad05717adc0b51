#pragma once

#include <orbweaver/any.h>
#include <orbweaver/exception.h>
#include <orbweaver/result.h>

#include <nlohmann/json.hpp>
#include <string>

#include "CFC.h"

namespace orbweaver::sca {

/// The value as text for people: "true", "-4", "gain"; with its type if it is not of a simple type.
std::string any_text(const CORBA::Any& value);
/// The value in JSON: a boolean, a number, an array or object of a property that is not simple, or a string
/// as any_text.
nlohmann::json any_json(const CORBA::Any& value);
/// JSON text of ASCII characters with a final newline; invalid UTF-8 is replaced.
std::string json_text(const nlohmann::json& value);
/// The same as one line of ASCII characters.
std::string json_line(const nlohmann::json& value);

/// What an exception of an operation of module CF says: all text, ids and values that it carries, in one
/// sentence without a period.
std::string describe(const CORBA::Exception& exception);

}  // namespace orbweaver::sca
