#pragma once

#include <string>
#include <vector>

#include "sca/deployment/deployment.h"
#include "sca/deployment/limited_calls.h"

namespace orbweaver::sca {

/// What is left after undo_on_devices().
struct DeviceUndoResult {
  std::vector<std::string> left;  ///< What registered devices could not undo, a line each.
  bool processes_run = false;     ///< A process is left on a registered device.
};

/// Undoes what devices have of an application: terminates processes, unloads files, deallocates capacities,
/// and removes from `record` what has been undone. `calls` has the time limit of each call; a device that has
/// not answered within it is not called again. The record is stored when capacities or loads have been given
/// back; errors of the store are ignored.
///
/// Before, it is stored with those loads, and capacities without an identifier, as not confirmed that are
/// given back now: a process that ends meanwhile does not lead to a second unload() or deallocateCapacity().
/// If that cannot be stored, they stay in `record`, and are reported.
///
/// What a device has that is not registered stays in `record`. A device with another reference than that of
/// Application::devices has been started again, and has nothing of the application.
///
/// terminate() that has timed out stays in `record`, too, and is repeated by the next call, which raises
/// InvalidProcess if the first one was performed; so does deallocateCapacity() of an allocation with an
/// identifier. Others, and unload(), are not repeated, because the second one would return the capacities or
/// unload the file of another application. What is not confirmed stays in `record`, and is no error
/// (order_undo.h).
DeviceUndoResult undo_on_devices(Application& record, DeploymentDomain& domain, const LimitedCalls& calls);

}  // namespace orbweaver::sca
