#include <orbweaver/flush.h>

#include <exception>

#include "orb/client/call_options.h"
#include "orb/core.h"
#include "orb/real_time.h"

namespace orbweaver {

void flush(const CORBA::object_reference<CORBA::Object>& object) {
  if (!object || object->_reference() == nullptr) return;
  Reference& target = *object->_reference();
  orb::RealTime* const real_time = target.core().real_time();
  if (real_time == nullptr) return target.flush(orb::send_deadline(target));
  std::exception_ptr failure;  // the first one: the others are flushed all the same
  const auto flush_one = [&](Reference& each) {
    try {
      each.flush(orb::send_deadline(each));
    } catch (const CORBA::SystemException&) {
      if (failure == nullptr) failure = std::current_exception();
    }
  };
  flush_one(target);
  for (const auto& each : real_time->band_references(target)) flush_one(*each);
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace orbweaver
