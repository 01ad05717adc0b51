#pragma once

#include <orbweaver/any.h>
#include <orbweaver/result.h>

#include <cstddef>
#include <string>

#include "call/idl_types.h"
#include "call/json.h"

namespace orbweaver::call {

/// How octets are shown.
enum class OctetsAs { base64, array };

/// The value of an any in JSON (docs/call.md); of an exception, its members. Fails with ErrorKind::invalid if
/// the value, received from a peer, is malformed or of a custom value type, and if the names of its members
/// take more than kMaxNameBytes.
Result<Json> value_to_json(const CORBA::Any& value, const IdlTypes& types, OctetsAs octets);

/// Limit of the names in one value: peers choose those of anys.
inline constexpr std::size_t kMaxNameBytes = std::size_t{256} << 20;

/// JSON in ASCII, indented by two spaces; arrays of numbers in one line.
std::string json_text(const Json& json);
/// JSON in ASCII, in one line.
std::string json_line(const Json& json);

}  // namespace orbweaver::call
