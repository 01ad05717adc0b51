#pragma once

#include <orbweaver/result.h>
#include <orbweaver/typecode.h>

#include <string>
#include <string_view>

#include "call/idl_types.h"

namespace orbweaver::call {

/// The type in IDL: "long", "sequence<Test::Sample, 8>", "double[2][3]". Types that the IDL does not declare
/// have their repository id as name. Text of a peer, not escaped.
std::string type_name(const CORBA::TypeCode& type, const IdlTypes& types);

/// The type of a text that type_name returns. Fails with ErrorKind::invalid.
Result<CORBA::typecode_reference> parse_type_name(std::string_view text, const IdlTypes& types);

}  // namespace orbweaver::call
