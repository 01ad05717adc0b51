#include "sca/deployment/device_host.h"

#include <algorithm>

#include "sca/runtime/same_machine.h"

namespace orbweaver::sca {
namespace {

bool has_property(const DeploymentDevice& device, const char* id) {
  const auto& properties = device.candidate.properties;
  return std::any_of(properties.begin(), properties.end(), [&](auto& property) { return property.id == id; });
}

}  // namespace

bool is_orbweaver_device(const DeploymentDevice& device) {
  return has_property(device, "application_groups");
}

bool takes_dependencies(const DeploymentDevice& device) { return has_property(device, "dependency_paths"); }

Durability durability_of_orders(const DeploymentDevice& device,
                                const IDL::traits<CORBA::ORB>::ref_type& orb) {
  return is_orbweaver_device(device) && device.reference &&
                 is_on_this_machine(orb->object_to_string(device.reference))
             ? Durability::process
             : Durability::machine;
}

}  // namespace orbweaver::sca
