#pragma once

#include <orbweaver/any.h>
#include <orbweaver/result.h>

#include <string>

#include "call/json_to_value.h"

namespace orbweaver::call {

/// As json_to_value for the text of a command line: JSON, where the quotes of strings, enumerators and object
/// references may be omitted.
Result<CORBA::Any> text_to_value(const std::string& text, const CORBA::TypeCode& type,
                                 const ConversionContext& context);

}  // namespace orbweaver::call
