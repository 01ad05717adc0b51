#include <orbweaver/flush.h>

#include "orb/core.h"
#include "orb/system_exceptions.h"

namespace orbweaver {

void flush(const CORBA::object_reference<CORBA::Object>& object) {
  if (!object || object->_reference() == nullptr) return;
  Reference& target = *object->_reference();
  const orb::CallScope scope;
  const Binding* const binding = target.bound();
  if (binding == nullptr) return;  // nothing was ever called
  const auto sent = binding->connection->flush(target.core().call_deadline());
  if (!sent) orb::raise_for(sent.error(), CORBA::CompletionStatus::COMPLETED_MAYBE);
}

}  // namespace orbweaver
