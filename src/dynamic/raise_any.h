#pragma once

#include <orbweaver/any.h>

namespace orbweaver {
class ServerCall;
}

namespace orbweaver::dynamic {

/// Whether the any contains an exception.
bool contains_exception(const CORBA::Any& any);
/// Throws the exception in the any, which is one: a system exception as such, any other as a user exception
/// that the operation of `call` declares.
[[noreturn]] void raise_in_call(const CORBA::Any& exception, ServerCall& call);

}  // namespace orbweaver::dynamic
