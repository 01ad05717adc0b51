/// Applications: those whose components or devices are lost.
#include <set>
#include <string>
#include <vector>

#include "sca/cf222/applications.h"
#include "sca/cf222/redeployment_pause.h"
#include "sca/cf222/unix_time.h"

namespace orbweaver::sca {

void Applications::fail(const std::string& id, const Loss& loss) {
  bool has_failed = false, is_redeployed = false;
  std::string name, failure;
  const auto stored = update(id, [&](Application& application) {
    Redeployment& redeployment = application.redeployment;
    if (runs(application)) {
      has_failed = true;
      name = application.name;
      // One that is lost here has just been created again.
      redeployment.start =
          application.state == ApplicationState::started || (redeployment.lost && redeployment.start);
      redeployment.reason = loss.reason;
      application.state = ApplicationState::failed;
      application.failure = loss.reason;
    } else if (application.state != ApplicationState::failed || redeployment.lost ||
               is_incompletely_released(application)) {
      return false;
    }
    redeployment.lost = loss.of_node;
    if (loss.of_node) count_lost_node(application);
    is_redeployed = redeployment.enabled && redeployment.lost;
    failure = application.failure;
    return has_failed || loss.of_node;
  });
  if (has_failed) parts_.log.problem("application '" + name + "' has failed: " + failure);
  if (!stored) parts_.log.problem("application '" + name + "': " + stored.error().message);
  if (stored && is_redeployed) redeployments_.add(id);
}

void Applications::count_lost_node(Application& application) {
  count_loss(application.redeployment, unix_time_s());
  const std::int64_t pause = pause_s(application.redeployment.losses);
  if (pause == 0 || !application.redeployment.enabled) return;
  application.failure += "; it is created again after a pause of " + std::to_string(pause) + " s, because " +
                         std::to_string(application.redeployment.losses) +
                         " times in succession a node was lost soon after it had been created again";
}

void Applications::devices_lost(const std::vector<std::string>& devices, const std::string& reason) {
  const std::set<std::string> lost(devices.begin(), devices.end());
  for (const std::string& device : devices) ends_.remove(device);
  for (const Application& application : parts_.model.applications()) {
    if (!runs(application)) {
      // Its creation or release does not wait for these processes any more.
      for (const DeployedComponent& each : application.components)
        if (lost.contains(each.device) && each.process >= 0)
          ends_.add(each.device, each.process, "was lost with its device: " + reason);
    }
    bool is_lost = false;
    for (const DeployedComponent& component : application.components) {
      if (!lost.contains(component.device)) continue;
      is_lost = true;
      if (runs(application)) parts_.channels.terminated(component.device, component.id, application.id);
    }
    if (is_lost) fail(application.id, {reason, true});
  }
}

void Applications::process_ended(const std::string& device, std::int64_t process, const std::string& given) {
  // Only devices of the domain tell ends; others would displace these.
  if (!parts_.model.device(device)) return;
  const std::string description = shortened_description(given);
  ends_.add(device, process, description.empty() ? "ended" : description);
  for (const Application& application : parts_.model.applications()) {
    if (!runs(application)) continue;
    for (const DeployedComponent& component : application.components) {
      if (component.device != device || component.process != process) continue;
      parts_.channels.terminated(device, component.id, application.id);
      fail(application.id, {part_text(component) + " has ended: " + description});
    }
  }
}

Applications::Loss Applications::lost_meanwhile(const Application& record) {
  for (const DeployedComponent& component : record.components) {
    if (!component.device.empty() && !parts_.model.device(component.device))
      return {"device '" + component.device + "' of " + part_text(component) + " is lost", true};
    if (component.process < 0) continue;
    const std::string end = ends_.find(component.device, component.process);
    if (!end.empty()) return {part_text(component) + " has ended: " + end};
  }
  return {};
}

void Applications::fail_if_lost(const Application& record) {
  if (const Loss lost = lost_meanwhile(record); !lost.reason.empty()) fail(record.id, lost);
}

}  // namespace orbweaver::sca
