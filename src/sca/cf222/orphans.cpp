#include "sca/cf222/orphans.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace orbweaver::sca {
namespace {

/// Calls `visit` with the id of each device of which the record has something.
template <class Visit>
void for_each_device(const Application& record, Visit visit) {
  for (const DeployedComponent& each : record.components)
    if (each.process >= 0) visit(each.device);
  for (const DeployedLoad& each : record.loads) visit(each.device);
  for (const DeployedAllocation& each : record.allocations) visit(each.device);
}

/// What a record has on these devices, without all that the release of an application needs besides.
Application reduced(const Application& record, const std::set<std::string>& devices) {
  Application orphan;
  orphan.id = record.id;
  orphan.name = record.name;
  orphan.installed = record.installed;
  orphan.profile = record.profile;
  orphan.state = ApplicationState::orphaned;
  for (const DeployedComponent& each : record.components) {
    if (each.process < 0 || !devices.contains(each.device)) continue;
    DeployedComponent process;
    process.id = each.id;
    process.device = each.device;
    process.process = each.process;
    orphan.components.push_back(std::move(process));
  }
  const auto copy = [&](const auto& from, auto& to) {
    std::copy_if(from.begin(), from.end(), std::back_inserter(to),
                 [&](const auto& each) { return devices.contains(each.device); });
  };
  copy(record.loads, orphan.loads);
  copy(record.allocations, orphan.allocations);
  for (const DeployedDevice& each : record.devices)
    if (devices.contains(each.id)) orphan.devices.push_back(each);
  return orphan;
}

bool is_empty(const Application& orphan) {
  return orphan.components.empty() && orphan.loads.empty() && orphan.allocations.empty();
}

std::string joined(const std::set<std::string>& ids) {
  std::string text;
  for (const std::string& id : ids) text += (text.empty() ? "'" : "', '") + id;
  return text + "'";
}

}  // namespace

std::set<std::string> Orphans::lost_devices(const Application& record) const {
  std::set<std::string> lost;
  for_each_device(record, [&](const std::string& device) {
    if (!parts_.model.device(device)) lost.insert(device);
  });
  return lost;
}

Result<void> Orphans::remove_application(const Application& record, const std::set<std::string>& lost) {
  std::set<std::string> devices = lost_devices(record);
  devices.insert(lost.begin(), lost.end());
  const Application orphan = reduced(record, devices);
  if (is_empty(orphan)) return parts_.model.remove_application(record.id);
  auto kept = parts_.model.orphan(orphan);
  if (!kept && kept.error().kind == ErrorKind::unavailable) {
    parts_.log.problem("what application '" + record.name + "' has left on " + joined(devices) +
                       " is forgotten: " + kept.error().message);
    return parts_.model.remove_application(record.id);
  }
  if (!kept) return kept;
  parts_.log.event("application '" + record.name + "' is released, but for what it has on " +
                   joined(devices) + ": that is undone when the device registers again");
  // A device that has registered meanwhile may not do so again.
  devices_registered({devices.begin(), devices.end()});
  return {};
}

void Orphans::devices_registered(const std::vector<std::string>& devices) {
  std::set<std::string> affected;
  for (const Application& orphan : parts_.model.orphans()) {
    for_each_device(orphan, [&](const std::string& device) {
      if (std::find(devices.begin(), devices.end(), device) != devices.end() && parts_.model.device(device))
        affected.insert(device);
    });
  }
  if (affected.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    if (has_ended_) return;
    registered_.merge(affected);
    if (std::exchange(is_working_, true)) return;
  }
  start_worker();
}

void Orphans::start_worker() {
  try {
    workers_.start("ow-orphans", [this] { work(); });
  } catch (const CORBA::SystemException& e) {
    parts_.log.problem(std::string("what released applications have left is not undone now: ") + e.what());
    const std::lock_guard lock(mutex_);
    is_working_ = false;
  }
}

void Orphans::work() {
  for (;;) {
    std::set<std::string> devices;
    {
      const std::lock_guard lock(mutex_);
      devices.swap(registered_);
      if (devices.empty() || has_ended_) {
        is_working_ = false;
        return;
      }
    }
    for (const Application& orphan : parts_.model.orphans()) {
      bool is_affected = false;
      for_each_device(
          orphan, [&](const std::string& device) { is_affected = is_affected || devices.contains(device); });
      if (is_affected) undo(orphan);
      const std::lock_guard lock(mutex_);
      if (has_ended_) break;
    }
  }
}

void Orphans::undo(Application record) {
  const std::string subject = "what the released application '" + record.name + "' had left on a device";
  try {
    for (const std::string& left : undo_(record))
      parts_.log.problem(subject + " is not undone completely: " + left);
    if (!is_empty(record)) {
      if (auto stored = parts_.model.put_orphan(record); !stored)
        parts_.log.problem(subject + ": " + stored.error().message);
      return;
    }
    auto removed = parts_.model.remove_orphan(record.id);
    if (removed) {
      parts_.log.event(subject + " is undone");
    } else {
      parts_.log.problem(subject + ": " + removed.error().message);
    }
  } catch (const std::exception& e) {
    parts_.log.problem(subject + " is not undone: " + e.what());
  }
}

void Orphans::end() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  workers_.join();
}

}  // namespace orbweaver::sca
