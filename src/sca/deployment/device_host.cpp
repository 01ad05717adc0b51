#include "sca/deployment/device_host.h"

#include <algorithm>

#include "sca/runtime/same_machine.h"

namespace orbweaver::sca {

bool is_orbweaver_device(const DeploymentDevice& device) {
  const auto& properties = device.candidate.properties;
  return std::any_of(properties.begin(), properties.end(),
                     [](auto& property) { return property.id == "application_groups"; });
}

Durability durability_of_orders(const DeploymentDevice& device,
                                const IDL::traits<CORBA::ORB>::ref_type& orb) {
  return is_orbweaver_device(device) && device.reference &&
                 is_on_this_machine(orb->object_to_string(device.reference))
             ? Durability::process
             : Durability::machine;
}

}  // namespace orbweaver::sca
