#pragma once

#include <orbweaver/typecode.h>

namespace orbweaver::call {

/// Whether the type is int8 of IDL 4.2 or an alias of it: its TypeCode is an alias of octet.
bool is_int8(const CORBA::TypeCode& type);
/// Whether the type is octet or an alias of it, and not int8.
bool is_octet(const CORBA::TypeCode& type);

}  // namespace orbweaver::call
