#pragma once

#include <orbweaver/any.h>
#include <orbweaver/orb.h>
#include <orbweaver/result.h>

#include "call/idl_types.h"
#include "call/json.h"

namespace orbweaver::call {

/// What conversions from JSON need beyond the types.
struct ConversionContext {
  const IdlTypes& types;
  IDL::traits<CORBA::ORB>::ref_type orb;  ///< For object references.
};

/// The value of `type` that `json` describes (docs/call.md). Fails with ErrorKind::invalid; the message names
/// the place within the value: "path[2].x: expected a number (double), found a string".
Result<CORBA::Any> json_to_value(const Json& json, const CORBA::TypeCode& type,
                                 const ConversionContext& context);

}  // namespace orbweaver::call
