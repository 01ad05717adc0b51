#pragma once

#include <orbweaver/any.h>

namespace orbweaver::dynamic {

/// At least the number of bytes that `write_value` writes, at any offset.
std::size_t bound_of_value(const CORBA::Any& any);
/// Encodes the value of an any without its TypeCode. Raises MARSHAL if it is malformed, and what the version
/// of GIOP demands for wide characters.
void write_value(cdr::Encoder& out, const CORBA::Any& any);
/// Decodes a value of `type`; of an exception, with its repository id in front. The fault of malformed input
/// is in `in`; the result is then empty.
CORBA::Any read_value(cdr::Decoder& in, const CORBA::TypeCode& type);

}  // namespace orbweaver::dynamic
