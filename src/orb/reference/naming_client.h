#pragma once

#include <orbweaver/object.h>

#include <string>

/// The CosNaming client for corbaname: URLs, without generated code, which depends on this library.
namespace orbweaver::naming {

/// Resolves `name` ("a.kind/b") in the NamingContext `context`. Raises the system exceptions of a call, and
/// BAD_PARAM for a malformed name and for the user exceptions of NamingContext::resolve.
CORBA::object_reference<CORBA::Object> resolve(const CORBA::object_reference<CORBA::Object>& context,
                                               const std::string& name);

}  // namespace orbweaver::naming
