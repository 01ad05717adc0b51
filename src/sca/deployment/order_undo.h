#pragma once

#include <string>
#include <vector>

#include "sca/deployment/deployment.h"
#include "sca/deployment/limited_calls.h"

namespace orbweaver::sca {

/// Undoes once what devices have done of the orders in an orphan that they have not confirmed, because the
/// domain manager was killed, or gave up the call: processes, loaded files and capacities. An order may be
/// performed late, so that it is removed from `record` when this has been done as often as it says.
///
/// What a device has done is told by its properties `processes` and `loaded_files`
/// (orbweaver-device.prf.xml); capacities have identifiers. A process of the same component identifier may be
/// that of the next application of the name: one that another record has is not terminated, and while such an
/// application is being created, the order waits. A device that has neither cannot be asked: what
/// it may have is returned as problems, a line each, and removed from `record`. Orders of devices that are
/// not registered, or do not answer, stay; those of devices that were started again have no effect any more.
std::vector<std::string> undo_unconfirmed(Application& record, DeploymentDomain& domain,
                                          const LimitedCalls& calls);

/// Whether the record has orders that are not confirmed.
bool has_unconfirmed(const Application& record);
/// Removes them.
void forget_unconfirmed(Application& record);

}  // namespace orbweaver::sca
