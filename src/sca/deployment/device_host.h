#pragma once

#include "base/durability.h"
#include "sca/deployment/deployment.h"

namespace orbweaver::sca {

/// Whether it is an executable device of Orbweaver, by an allocation property that others do not have.
bool is_orbweaver_device(const DeploymentDevice& device);

/// Whether execute() of the device takes the names of the files that a program depends on. Devices of earlier
/// versions of Orbweaver do not.
bool takes_dependencies(const DeploymentDevice& device);

/// What a record of orders to this device has to survive. With the end of the machine on which the domain
/// manager runs, all that an executable device of Orbweaver there has allocated, loaded and executed has
/// ended, too: such orders need not be flushed. `orb` is that of the reference. No call to the device.
Durability durability_of_orders(const DeploymentDevice& device, const IDL::traits<CORBA::ORB>::ref_type& orb);

}  // namespace orbweaver::sca
