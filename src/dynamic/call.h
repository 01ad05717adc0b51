#pragma once

#include <orbweaver/dynamic.h>

#include <string>

namespace orbweaver::dynamic {

/// The operation of a dynamic call, and what it sends and receives.
struct Call {
  const std::string& operation;
  bool oneway = false;
  CORBA::NVList& arguments;
  CORBA::NamedValue& result;
  const CORBA::ExceptionList& exceptions;
  const CORBA::ContextList& contexts;
  CORBA::object_reference<CORBA::Context> context;
};

/// Makes the call, and sets the arguments and the result that are received. Raises what
/// CORBA::Request::invoke raises; then they are unchanged.
void make_call(const CORBA::Object& target, const Call& call);

}  // namespace orbweaver::dynamic
