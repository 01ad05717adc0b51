#pragma once

#include <orbweaver/any.h>
#include <orbweaver/orb.h>
#include <orbweaver/result.h>

#include <nlohmann/json.hpp>
#include <string>

#include "call/idl_types.h"

namespace orbweaver::call {

/// JSON with the members of objects in their order.
using Json = nlohmann::ordered_json;

/// What conversions from JSON need beyond the types.
struct ConversionContext {
  const IdlTypes& types;
  IDL::traits<CORBA::ORB>::ref_type orb;  ///< For object references.
};

/// Parses JSON of at most limits::kMaxNesting levels. Fails with ErrorKind::invalid.
Result<Json> parse_json(const std::string& text);

/// The value of `type` that `json` describes (docs/call.md). Fails with ErrorKind::invalid; the message names
/// the place within the value: "path[2].x: expected a number (double), found a string".
Result<CORBA::Any> json_to_value(const Json& json, const CORBA::TypeCode& type,
                                 const ConversionContext& context);

/// As json_to_value for the text of a command line: JSON, where the quotes of strings, enumerators and object
/// references may be omitted.
Result<CORBA::Any> text_to_value(const std::string& text, const CORBA::TypeCode& type,
                                 const ConversionContext& context);

}  // namespace orbweaver::call
