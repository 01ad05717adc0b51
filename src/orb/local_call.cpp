// Calls that stay inside the process: the servant's method is called directly.
#include <orbweaver/skeleton.h>
#include <orbweaver/stub.h>

#include <new>

#include "giop/locate.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/system_exceptions.h"

namespace orbweaver {
namespace {

/// Returns when the one-ways queued for the target have been served: the connection answers in order.
void flush(Reference& target) {
  const orb::CallScope scope;
  const transport::Deadline deadline = target.core().call_deadline();
  const Binding& binding = target.binding(deadline);
  ClientConnection& connection = *binding.connection;
  auto room = connection.claim(giop::locate_request_bound(binding.road.object_key), deadline);
  if (!room) orb::raise_for(room.error(), CORBA::CompletionStatus::COMPLETED_NO);
  const std::uint32_t id = connection.next_request_id();
  cdr::Encoder out(room->data(), room->size());
  giop::encode_locate_request(out, binding.road.version, id, binding.road.object_key);
  giop::finish_message(out);
  auto sent = connection.commit(out.size(), true, deadline);
  if (!sent) orb::raise_for(sent.error(), CORBA::CompletionStatus::COMPLETED_NO);
  ClientConnection::Reply reply;
  if (auto arrived = connection.await(id, deadline, reply); !arrived) {
    orb::raise_for(arrived.error(), CORBA::CompletionStatus::COMPLETED_NO);
  }
  connection.release(reply);
}

}  // namespace

void LocalCall::enter(Reference& target, const Interface& interface) {
  if (!target.is_local()) return;
  if (target.take_queued_oneways() && !orb::serves_connection()) flush(target);
  orb::ObjectFinder* finder = target.core().finder();
  if (finder == nullptr) return;
  auto* hold = new (hold_) orb::Hold;
  static_assert(sizeof(orb::Hold) <= sizeof hold_);
  const orb::Found found = finder->enter(target.object_key(), *hold);
  if (found != orb::Found::servant) orb::raise_not_found(found);
  finder_ = finder;
  orb::begin_direct_call();
  servant_ = hold->servant->_as(&interface);
  if (servant_ == nullptr) {
    // The reference was narrowed without being asked: the servant is of another type.
    leave();
    finder_ = nullptr;
    throw CORBA::BAD_OPERATION(minor::kNoSuchOperation, CORBA::CompletionStatus::COMPLETED_NO,
                               std::string("the object is no ") + interface.repository_id);
  }
}

void LocalCall::leave() noexcept {
  orb::end_direct_call();
  static_cast<orb::ObjectFinder*>(finder_)->leave(*std::launder(reinterpret_cast<orb::Hold*>(hold_)));
}

void rethrow_as_corba(const Operation& operation) {
  try {
    throw;
  } catch (const CORBA::UserException& e) {
    for (std::uint32_t i = 0; i < operation.raises_count; ++i) {
      if (std::strcmp(operation.raises[i].repository_id, e._rep_id()) == 0) throw;
    }
    throw CORBA::UNKNOWN(minor::kUndeclaredException, CORBA::CompletionStatus::COMPLETED_MAYBE,
                         std::string(operation.name) + " raised " + e._rep_id() + ", which its IDL does not declare");
  } catch (const CORBA::Exception&) {
    throw;
  } catch (const std::exception& e) {
    throw CORBA::UNKNOWN(minor::kForeignException, CORBA::CompletionStatus::COMPLETED_MAYBE,
                         std::string(operation.name) + " raised a C++ exception: " + e.what());
  } catch (...) {
    throw CORBA::UNKNOWN(minor::kForeignException, CORBA::CompletionStatus::COMPLETED_MAYBE,
                         std::string(operation.name) + " raised something that is no std::exception");
  }
}

}  // namespace orbweaver
