#include <orbweaver/connection_end.h>

#include <new>

#include "orb/client/async_replies.h"
#include "orb/client/client_connection.h"
#include "orb/core.h"
#include "orb/reference/grace_period.h"
#include "orb/reference/reference.h"
#include "orb/system_exceptions.h"

namespace orbweaver {
namespace {

/// The connection of a reference, usable or not; null: none.
ClientConnectionPtr connection_of(const CORBA::object_reference<CORBA::Object>& object) {
  if (!object || object->_reference() == nullptr || object->_reference()->is_collocated()) return nullptr;
  const orb::CallScope scope;
  const Binding* const binding = object->_reference()->current_binding();
  return binding != nullptr ? binding->connection : nullptr;
}

}  // namespace

ConnectionEnd await_connection_end(const CORBA::object_reference<CORBA::Object>& object,
                                   Deadline deadline) try {
  const ClientConnectionPtr connection = connection_of(object);
  // With a reactor, its thread reads.
  if (!connection || !connection->usable() || object->_reference()->core().reactor() != nullptr)
    return ConnectionEnd::unknown;
  orb::AsyncReplies& replies = connection->async_replies(object->_reference()->core());
  orb::ReplyReader& reader = connection->reader();
  if (!reader.try_take_role()) return ConnectionEnd::unknown;
  // A channel without a descriptor is polled: its reader would not sleep.
  if (connection->readiness_as_reader() == nullptr) {
    reader.release_role();
    return ConnectionEnd::unknown;
  }
  static_cast<void>(reader.read_replies(
      deadline, replies, [] { return false; }, [] {}));
  return connection->usable() ? ConnectionEnd::none : ConnectionEnd::ended;
} catch (const std::bad_alloc&) {
  orb::raise_no_memory();
}

void close_connection(const CORBA::object_reference<CORBA::Object>& object) {
  if (const ClientConnectionPtr connection = connection_of(object)) connection->close();
}

}  // namespace orbweaver
