#include "poa/manager_call.h"

#include <string>

#include "base/log.h"
#include "orb/minor_codes.h"

namespace orbweaver::poa {
namespace {

[[noreturn]] void raise_cpp_exception(const std::string& what, const std::string& text,
                                      CORBA::CompletionStatus completed) {
  log::write_limited(log::Level::warn, "C++ exception", "", [&] { return what + text; });
  throw CORBA::UNKNOWN(minor::kCppException, completed, what + "; see the server's log");
}

}  // namespace

void rethrow_of_manager(const char* function, MayForward may_forward) {
  const std::string what = std::string(function) + " raised a C++ exception";
  // What may not forward is called after the operation.
  const auto completed = may_forward == MayForward::yes ? CORBA::CompletionStatus::COMPLETED_NO
                                                        : CORBA::CompletionStatus::COMPLETED_MAYBE;
  try {
    throw;
  } catch (const PortableServer::ForwardRequest& e) {
    if (may_forward == MayForward::yes) throw;
    throw CORBA::UNKNOWN(minor::kUndeclaredException, completed,
                         std::string(function) + " raised " + e._rep_id());
  } catch (const CORBA::SystemException&) {
    throw;
  } catch (const CORBA::UserException& e) {
    throw CORBA::UNKNOWN(minor::kUndeclaredException, completed,
                         std::string(function) + " raised " + e._rep_id());
  } catch (const std::exception& e) {
    raise_cpp_exception(what, ": " + std::string(e.what()), completed);
  } catch (...) {
    raise_cpp_exception(what, " not derived from std::exception", completed);
  }
}

}  // namespace orbweaver::poa
