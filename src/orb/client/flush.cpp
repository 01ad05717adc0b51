#include <orbweaver/flush.h>

#include "orb/client/call_options.h"
#include "orb/core.h"

namespace orbweaver {

void flush(const CORBA::object_reference<CORBA::Object>& object) {
  if (!object || object->_reference() == nullptr) return;
  Reference& target = *object->_reference();
  target.flush(orb::send_deadline(target));
}

}  // namespace orbweaver
