#pragma once

#include <orbweaver/any.h>
#include <orbweaver/interceptors.h>

#include <exception>
#include <string>

#include "orb/interception.h"

namespace orbweaver::interceptors {

/// How a request ends, as far as is known. Interceptors change it.
struct Outcome {
  PortableInterceptor::ReplyStatus status = PortableInterceptor::SUCCESSFUL;
  std::exception_ptr exception;                    ///< For SYSTEM_EXCEPTION and USER_EXCEPTION.
  CORBA::object_reference<CORBA::Object> forward;  ///< For LOCATION_FORWARD.

  /// The outcome after the exception that is being handled: PortableServer::ForwardRequest, a system
  /// exception or a user exception. `who` has raised it.
  static Outcome of_current_exception(const char* who);
  /// As of_current_exception, for one that an interceptor has raised: other user exceptions and C++
  /// exceptions become UNKNOWN.
  static Outcome of_interceptor(PortableInterceptor::Interceptor& interceptor);
};

/// The exception of an outcome, for interceptors.
struct ExceptionView {
  explicit ExceptionView(const std::exception_ptr& exception);
  std::string repository_id;
  CORBA::Any value;  ///< See ClientRequestInfo::received_exception.
};

}  // namespace orbweaver::interceptors
