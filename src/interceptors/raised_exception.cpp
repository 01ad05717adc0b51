#include "interceptors/raised_exception.h"

#include <orbweaver/detail/stub.h>
#include <orbweaver/forward_request.h>
#include <orbweaver/typecode.h>

#include <map>
#include <string_view>

#include "base/catch_and_log.h"
#include "interceptors/minor_codes.h"
#include "orb/server/forward_request.h"

namespace orbweaver::interceptors {
namespace {

namespace pi = PortableInterceptor;
using CORBA::CompletionStatus;
using CORBA::TCKind;

/// The TypeCodes of the system exceptions, by repository id: constants, which any thread reads.
const CORBA::TypeCode& system_exception_type(const CORBA::SystemException& e) {
  static constexpr CORBA::TypeCode::Member kEnumerators[] = {
      {"COMPLETED_YES", nullptr}, {"COMPLETED_NO", nullptr}, {"COMPLETED_MAYBE", nullptr}};
  static const CORBA::TypeCode completion(TCKind::tk_enum, "IDL:omg.org/CORBA/completion_status:1.0",
                                          "completion_status", kEnumerators, 3);
  static const CORBA::TypeCode::Member members[] = {{"minor", &typecode::k_ulong},
                                                    {"completed", &completion}};
#define ORBWEAVER_SYSTEM_EXCEPTION_TYPE(NAME)                                                             \
  static const CORBA::TypeCode NAME(TCKind::tk_except, "IDL:omg.org/CORBA/" #NAME ":1.0", #NAME, members, \
                                    2);                                                                   \
  if (dynamic_cast<const CORBA::NAME*>(&e) != nullptr) return NAME;
  ORBWEAVER_SYSTEM_EXCEPTIONS(ORBWEAVER_SYSTEM_EXCEPTION_TYPE)
#undef ORBWEAVER_SYSTEM_EXCEPTION_TYPE
  return completion;  // there are no others
}

CORBA::Any any_of(const CORBA::SystemException& e) {
  CORBA::Any any;
  std::vector<std::uint8_t> bytes;
  cdr::Encoder out(bytes);
  out.put_string(e._rep_id());
  out.put(e.minor());
  out.put(static_cast<std::uint32_t>(e.completed()));
  out.finish();
  orbweaver::any::Access::put(any, system_exception_type(e), out, std::move(bytes));
  return any;
}

Outcome failed(pi::ReplyStatus status) { return {status, std::current_exception(), nullptr}; }

template <class Exception>
Outcome failed_with(const Exception& exception) {
  return {pi::SYSTEM_EXCEPTION, std::make_exception_ptr(exception), nullptr};
}

/// Raises INV_OBJREF for nil and local objects.
Outcome forwarded(const char* who, const CORBA::object_reference<CORBA::Object>& to) try {
  orb::check_forward(who, PortableServer::ForwardRequest(to));
  return {pi::LOCATION_FORWARD, nullptr, to};
} catch (const CORBA::SystemException&) {
  return failed(pi::SYSTEM_EXCEPTION);
}

}  // namespace

Outcome Outcome::of_current_exception(const char* who) {
  try {
    throw;
  } catch (const PortableServer::ForwardRequest& e) {
    return forwarded(who, e.forward_reference());
  } catch (const CORBA::SystemException&) {
    return failed(pi::SYSTEM_EXCEPTION);
  } catch (...) {
    return failed(pi::USER_EXCEPTION);
  }
}

Outcome Outcome::of_interceptor(pi::Interceptor& interceptor) {
  std::string name;
  catch_and_log("name of an interceptor", [&] { name = interceptor.name(); });
  name = "the interceptor '" + name + "'";
  try {
    throw;
  } catch (const pi::ForwardRequest& e) {
    return forwarded(name.c_str(), e.forward());
  } catch (const CORBA::SystemException&) {
    return failed(pi::SYSTEM_EXCEPTION);
  } catch (const CORBA::UserException& e) {
    return failed_with(CORBA::UNKNOWN(
        minor::kUnlistedUserException, CompletionStatus::COMPLETED_MAYBE,
        name + " raised " + e._rep_id() + "; it may raise system exceptions and ForwardRequest"));
  } catch (const std::exception& e) {
    return failed_with(CORBA::UNKNOWN(minor::kCppException, CompletionStatus::COMPLETED_MAYBE,
                                      name + " raised a C++ exception: " + e.what()));
  } catch (...) {
    return failed_with(CORBA::UNKNOWN(minor::kCppException, CompletionStatus::COMPLETED_MAYBE,
                                      name + " raised an exception that is not derived from std::exception"));
  }
}

ExceptionView::ExceptionView(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const CORBA::SystemException& e) {
    repository_id = e._rep_id();
    value = any_of(e);
  } catch (const CORBA::Exception& e) {
    repository_id = e._rep_id();
    value = any_of(CORBA::UNKNOWN(minor::kUnlistedUserException, CompletionStatus::COMPLETED_YES));
  } catch (...) {
    value = any_of(CORBA::UNKNOWN(minor::kCppException, CompletionStatus::COMPLETED_MAYBE));
  }
}

}  // namespace orbweaver::interceptors

namespace PortableInterceptor {

std::size_t ForwardRequest::_bound() const { return orbweaver::bound_reference(forward_.get()); }
void ForwardRequest::_encode(orbweaver::cdr::Encoder& out) const {
  orbweaver::encode_reference(out, forward_.get());
}

std::size_t ORBInitInfo::DuplicateName::_bound() const { return orbweaver::cdr::bound_of(name_); }
void ORBInitInfo::DuplicateName::_encode(orbweaver::cdr::Encoder& out) const { out.put_string(name_); }

}  // namespace PortableInterceptor
