#include "sca/launch/component_error.h"

#include "sca/cf/call_error.h"

#include <orbweaver/orb.h>

namespace orbweaver::sca {

void fail_call(const std::string& what) {
  try {
    throw;
  } catch (const CORBA::SystemException& e) {
    throw ComponentUnreachable(what + ": " + e.what());
  } catch (const std::exception&) {
    throw std::runtime_error(what + ": " + reason_of_failed_call());
  }
}

}  // namespace orbweaver::sca
