// PortableServer::DynamicImplementation: the skeleton of servants of interfaces known at run time only.
#include <orbweaver/detail/dynamic_skeleton.h>
#include <orbweaver/detail/skeleton.h>
#include <orbweaver/dynamic_servant.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "dynamic/raise_any.h"
#include "dynamic/server_request.h"

namespace PortableServer {
namespace {

/// Operations of CORBA::Object that the ORB executes (CORBA 3.3 part 2, 9.4.2).
constexpr std::string_view kObjectOperations[] = {"_is_a",      "_non_existent", "_not_existent",
                                                  "_component", "_interface",    "_domain_managers"};

}  // namespace

DynamicImplementation::~DynamicImplementation() = default;

bool DynamicImplementation::_is_a(const std::string& repository_id) {
  return repository_id == orbweaver::kDynamicSkeleton.repository_id ||
         repository_id == orbweaver::primary_interface_of_request(*this);
}

void* DynamicImplementation::_as(const orbweaver::Interface* interface) noexcept {
  return interface == &orbweaver::kDynamicSkeleton ? this : nullptr;
}

const orbweaver::Interface& DynamicImplementation::_interface() const noexcept {
  return orbweaver::kDynamicSkeleton;
}

bool DynamicImplementation::_dispatch(orbweaver::ServerCall& call) {
  const std::string_view operation = call.operation();
  if (std::find(std::begin(kObjectOperations), std::end(kObjectOperations), operation) !=
      std::end(kObjectOperations))
    return false;
  call.operation_found({});
  if (operation == "_repository_id") {
    const std::string id = orbweaver::primary_interface_of_request(*this);
    orbweaver::cdr::encode(call.reply(orbweaver::cdr::bound_of(id)), id);
    return true;
  }
  const auto request = CORBA::make_reference<orbweaver::dynamic::ServerRequest>(call);
  const struct End {
    orbweaver::dynamic::ServerRequest& request;
    ~End() { request.end(); }
  } end{*request};
  try {
    invoke(request);
  } catch (const CORBA::UnknownUserException& e) {
    if (!orbweaver::dynamic::contains_exception(e.exception())) throw;
    orbweaver::dynamic::raise_in_call(e.exception(), call);
  }
  request->reply();
  return true;
}

}  // namespace PortableServer
