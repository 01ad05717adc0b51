#include "sca/cf222/orphans.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "sca/cf222/unix_time.h"
#include "sca/deployment/late_calls.h"
#include "sca/deployment/order_undo.h"

namespace orbweaver::sca {
namespace {

/// Time until a device that has not answered is called again; it is doubled each time.
constexpr std::chrono::seconds kFirstPause{3}, kLongestPause{60};
/// Age at which an orphan is forgotten: 30 days.
constexpr std::int64_t kMaxAge = std::int64_t{30} * 24 * 3600;

/// Calls `visit` with the id of each device of which the record has something, or may have.
template <class Visit>
void for_each_device(const Application& record, Visit visit) {
  for (const DeployedComponent& each : record.components)
    if (each.process >= 0 || each.unconfirmed > 0) visit(each.device);
  for (const DeployedLoad& each : record.loads) visit(each.device);
  for (const DeployedAllocation& each : record.allocations) visit(each.device);
}

/// What a record has on these devices, and what devices have not confirmed, without all that the release of
/// an application needs besides.
Application reduced(const Application& record, const std::set<std::string>& devices) {
  Application orphan;
  orphan.id = record.id;
  orphan.name = record.name;
  orphan.installed = record.installed;
  orphan.profile = record.profile;
  orphan.state = ApplicationState::orphaned;
  orphan.orphaned_s = unix_time_s();
  for (const DeployedComponent& each : record.components) {
    if (each.unconfirmed == 0 && (each.process < 0 || !devices.contains(each.device))) continue;
    DeployedComponent process;
    process.id = each.id;
    process.device = each.device;
    process.process = each.process;
    process.execution = each.execution;  // a device of SCA 4.1 takes no other one
    process.unconfirmed = each.unconfirmed;
    orphan.components.push_back(std::move(process));
  }
  const auto copy = [&](const auto& from, auto& to) {
    std::copy_if(from.begin(), from.end(), std::back_inserter(to),
                 [&](const auto& each) { return each.unconfirmed > 0 || devices.contains(each.device); });
  };
  copy(record.loads, orphan.loads);
  copy(record.allocations, orphan.allocations);
  const std::set<std::string> used = Orphans::devices_of(orphan);
  for (const DeployedDevice& each : record.devices)
    if (used.contains(each.id)) orphan.devices.push_back(each);
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

std::set<std::string> Orphans::devices_of(const Application& record) {
  std::set<std::string> devices;
  for_each_device(record, [&](const std::string& device) { devices.insert(device); });
  return devices;
}

Result<void> Orphans::remove_application(const Application& record, const std::set<std::string>& devices,
                                         const Application* next) {
  const auto remove = [&] {
    return next == nullptr ? parts_.model.remove_application(record.id)
                           : parts_.model.replace(record.id, std::nullopt, *next);
  };
  std::set<std::string> affected = lost_devices(record);
  affected.insert(devices.begin(), devices.end());
  const Application orphan = reduced(record, affected);
  if (is_empty(orphan)) return remove();
  auto kept = next == nullptr ? parts_.model.orphan(orphan) : parts_.model.replace(record.id, orphan, *next);
  if (!kept && kept.error().kind == ErrorKind::unavailable) {
    parts_.log.problem("what application '" + record.name + "' has left on " + joined(devices_of(orphan)) +
                       " is forgotten: " + kept.error().message);
    return remove();
  }
  if (!kept) return kept;
  const std::set<std::string> left = devices_of(orphan);
  parts_.log.event("application '" + record.name + "' is removed, but for what it has, or may have, on " +
                   joined(left) + ": that is undone when the device registers again, or answers");
  // A device that has registered meanwhile, or is registered and has not answered, may not do so again.
  devices_registered({left.begin(), left.end()});
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
    changed_.notify_all();
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
  std::set<std::string> again;
  auto pause = kFirstPause;
  for (;;) {
    std::set<std::string> devices;
    {
      std::unique_lock lock(mutex_);
      const auto is_called = [this] { return has_ended_ || !registered_.empty(); };
      if (!again.empty() && !changed_.wait_for(lock, pause, is_called)) {
        pause = std::min(2 * pause, kLongestPause);
      } else {
        pause = kFirstPause;
      }
      devices.swap(registered_);
      devices.merge(again);
      if (devices.empty() || has_ended_) {
        is_working_ = false;
        return;
      }
    }
    again = undo_all(devices);
  }
}

std::set<std::string> Orphans::undo_all(const std::set<std::string>& devices) {
  for (const Application& orphan : parts_.model.orphans()) {
    bool is_affected = false;
    for_each_device(
        orphan, [&](const std::string& device) { is_affected = is_affected || devices.contains(device); });
    if (is_affected) undo(orphan);
    const std::lock_guard lock(mutex_);
    if (has_ended_) return {};
  }
  std::set<std::string> left;
  for (const Application& orphan : parts_.model.orphans()) {
    for_each_device(orphan, [&](const std::string& device) {
      if (devices.contains(device) && parts_.model.device(device)) left.insert(device);
    });
  }
  return left;
}

void Orphans::undo(Application record) {
  const std::string subject = "what the released application '" + record.name + "' had left on a device";
  try {
    const LateOrders late = late_orders_of(record.id);
    if (late == LateOrders::pending) return;
    if (late == LateOrders::settled) forget_unconfirmed(record);
    for (const std::string& left : undo_(record))
      tell_once(record.id, subject + " is not undone completely: " + left);
    keep(record);
  } catch (const std::exception& e) {
    tell_once(record.id, subject + " is not undone: " + e.what());
  }
}

void Orphans::keep(const Application& record) {
  const std::string subject = "what the released application '" + record.name + "' had left on a device";
  if (!is_empty(record)) {
    if (auto stored = parts_.model.put_orphan(record); !stored)
      tell_once(record.id, subject + ": " + stored.error().message);
    return;
  }
  auto removed = parts_.model.remove_orphan(record.id);
  if (!removed) return tell_once(record.id, subject + ": " + removed.error().message);
  told_.erase(record.id);
  parts_.log.event(subject + " is undone");
}

void Orphans::tell_once(const std::string& id, const std::string& problem) {
  if (told_[id].insert(problem).second) parts_.log.problem(problem);
}

void Orphans::forget_old() {
  const std::int64_t now = unix_time_s();
  for (Application& orphan : parts_.model.orphans()) {
    if (orphan.orphaned_s == 0) {  // stored by an earlier version
      orphan.orphaned_s = now;
      static_cast<void>(parts_.model.put_orphan(orphan));
    }
    if (now - orphan.orphaned_s < kMaxAge) continue;
    if (auto removed = parts_.model.remove_orphan(orphan.id); !removed) continue;
    parts_.log.problem("what the released application '" + orphan.name + "' had left on " +
                       joined(devices_of(orphan)) +
                       " is forgotten: the device has not registered for 30 days; if it is used again, "
                       "restart it before");
  }
}

void Orphans::end() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  changed_.notify_all();
  workers_.join();
}

}  // namespace orbweaver::sca
