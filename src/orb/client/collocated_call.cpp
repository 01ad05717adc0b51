// Collocated calls: the method of the servant is called directly.
#include <orbweaver/detail/dynamic_skeleton.h>
#include <orbweaver/detail/skeleton.h>
#include <orbweaver/detail/stub.h>
#include <orbweaver/response.h>

#include <new>

#include "orb/client/locate_object.h"
#include "orb/client/queued_oneways.h"
#include "orb/client/reply_exceptions.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/server/forward_request.h"
#include "orb/server/upcall_scope.h"
#include "orb/system_exceptions.h"

namespace orbweaver::orb {

void serve_queued_oneways(Reference& target) {
  if (!target.take_queued_oneways() || in_connection_upcall()) return;
  const CallScope scope;
  const transport::Deadline deadline = target.core().call_deadline();
  const Binding& binding = target.binding(deadline);
  Reply reply;
  if (auto arrived = send_locate_request(binding, deadline, reply); !arrived)
    raise_for(arrived.error(), CORBA::CompletionStatus::COMPLETED_NO);
  binding.connection->reader().release(reply);
}

}  // namespace orbweaver::orb

namespace orbweaver {

const Interface kDynamicSkeleton{"IDL:omg.org/CORBA/Object:1.0", nullptr, 0};

void CollocatedCall::enter(Reference& target, const Interface& interface) {
  if (!target.calls_directly()) return;
  std::vector<std::uint8_t> forward_key;
  if (target.is_forwarded()) [[unlikely]] {
    forward_key = target.forward_key();
    if (forward_key.empty() && target.is_forwarded()) return;
  }
  orb::serve_queued_oneways(target);
  orb::ObjectFinder* finder = target.core().finder();
  if (finder == nullptr) return;
  auto* pin = new (hold_) orb::ServantPin;
  static_assert(sizeof(orb::ServantPin) <= sizeof hold_);
  orb::LookupStatus found;
  try {
    found = finder->enter(forward_key.empty() ? target.object_key() : Bytes(forward_key), *pin);
  } catch (const PortableServer::ForwardRequest& e) {  // of a servant activator
    orb::check_forward("the call", e);
    target.forward(e.forward_reference()->_reference()->ior());
    if (++forwards_ > orb::kMaxAttempts) orb::raise_too_many_forwards();
    return enter(target, interface);
  }
  if (found == orb::LookupStatus::remote) return;
  if (found != orb::LookupStatus::found) {
    if (!forward_key.empty() && ++forwards_ < orb::kMaxAttempts && target.drop_forward())
      return enter(target, interface);
    orb::raise_lookup_failure(found);
  }
  finder_ = finder;
  orb::begin_collocated_call(*pin);
  servant_ = pin->servant()._as(&interface);
  if (servant_ == nullptr && pin->servant()._as(&deferring_interface()) != nullptr) {
    // It replies later: the request takes a transport.
    leave();
    finder_ = nullptr;
    return;
  }
  if (servant_ == nullptr) {
    // Dynamic, or of another type: the reference was narrowed without a check.
    const bool is_dynamic = pin->servant()._as(&kDynamicSkeleton) != nullptr;
    leave();
    finder_ = nullptr;
    if (is_dynamic) return;  // it decodes requests only: the call uses a transport
    throw CORBA::BAD_OPERATION(minor::kNoSuchOperation, CORBA::CompletionStatus::COMPLETED_NO,
                               std::string("the servant does not implement ") + interface.repository_id);
  }
}

void CollocatedCall::leave() noexcept {
  auto& pin = *std::launder(reinterpret_cast<orb::ServantPin*>(hold_));
  orb::end_collocated_call(pin);
  static_cast<orb::ObjectFinder*>(finder_)->leave(pin);
}

void CollocatedCall::follow_forward(const CORBA::Object& target, const Interface& interface) {
  leave();
  finder_ = nullptr;
  servant_ = nullptr;
  if (++forwards_ > orb::kMaxAttempts) orb::raise_too_many_forwards();
  enter(*target._reference(), interface);
}

void rethrow_as_corba(const CORBA::Object& target, const Operation& operation) {
  try {
    throw;
  } catch (const PortableServer::ForwardRequest& e) {
    orb::check_forward(operation.name, e);
    target._reference()->forward(e.forward_reference()->_reference()->ior());
  } catch (const CORBA::UserException& e) {
    for (std::uint32_t i = 0; i < operation.raises_count; ++i) {
      if (std::strcmp(operation.raises[i].repository_id, e._rep_id()) == 0) throw;
    }
    throw CORBA::UNKNOWN(
        minor::kUndeclaredException, CORBA::CompletionStatus::COMPLETED_MAYBE,
        std::string(operation.name) + " raised " + e._rep_id() + ", which its IDL does not declare");
  } catch (const CORBA::Exception&) {
    throw;
  } catch (const std::exception& e) {
    throw CORBA::UNKNOWN(minor::kCppException, CORBA::CompletionStatus::COMPLETED_MAYBE,
                         std::string(operation.name) + " raised a C++ exception: " + e.what());
  } catch (...) {
    throw CORBA::UNKNOWN(
        minor::kCppException, CORBA::CompletionStatus::COMPLETED_MAYBE,
        std::string(operation.name) + " raised an exception that is not derived from std::exception");
  }
}

}  // namespace orbweaver
