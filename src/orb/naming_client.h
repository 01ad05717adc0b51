#pragma once

#include <orbweaver/object.h>

#include <string>

/// As much of CosNaming as corbaname: takes, without generated code, which would sit two rooms up.
namespace orbweaver::naming {

/// The object that `name` ("a.kind/b") has in the NamingContext `context`. Raises what resolve raises, as
/// UNKNOWN where it is a user exception, and BAD_PARAM for a name that cannot be one.
CORBA::object_reference<CORBA::Object> resolve(const CORBA::object_reference<CORBA::Object>& context,
                                               const std::string& name);

}  // namespace orbweaver::naming
