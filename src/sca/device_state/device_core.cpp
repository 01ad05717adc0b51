#include "sca/device_state/device_core.h"

#include <iterator>
#include <utility>

namespace orbweaver::sca {

const char* name_of(AdminState state) {
  switch (state) {
    case AdminState::locked: return "LOCKED";
    case AdminState::shutting_down: return "SHUTTING_DOWN";
    case AdminState::unlocked: break;
  }
  return "UNLOCKED";
}

const char* name_of(UsageState state) {
  switch (state) {
    case UsageState::idle: return "IDLE";
    case UsageState::active: return "ACTIVE";
    case UsageState::busy: break;
  }
  return "BUSY";
}

void DeviceCore::add_capacity(const std::string& id, double total) {
  const std::lock_guard lock(mutex_);
  account_.add(id, total);
}

AdminState DeviceCore::admin() const {
  const std::lock_guard lock(mutex_);
  return admin_;
}

UsageState DeviceCore::usage() const {
  const std::lock_guard lock(mutex_);
  return usage_locked();
}

bool DeviceCore::enabled() const {
  const std::lock_guard lock(mutex_);
  return enabled_;
}

bool DeviceCore::has_capacity(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  return account_.has(id);
}

std::vector<std::string> DeviceCore::capacities() const {
  const std::lock_guard lock(mutex_);
  return account_.ids();
}

double DeviceCore::left(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  return account_.left(id);
}

bool DeviceCore::command(AdminState state) { return command_admin(state, false); }

bool DeviceCore::command_lock_with_parts() { return command_admin(AdminState::locked, true); }

bool DeviceCore::command_admin(AdminState state, bool with_parts) {
  std::unique_lock lock(mutex_);
  Changes changes;
  if (state == AdminState::locked && admin_ == AdminState::unlocked) {
    if (with_parts) ++lock_commands_;
    awaits_parts_ = with_parts;
    set_admin(AdminState::shutting_down, changes);
  } else if (state == AdminState::unlocked && !ended_) {
    awaits_parts_ = false;
    set_admin(AdminState::unlocked, changes);
  }
  const bool has_changed = !changes.empty();
  update(changes);
  notify(lock, std::move(changes));
  return has_changed;
}

std::uint64_t DeviceCore::awaited_parts() const {
  const std::lock_guard lock(mutex_);
  return awaits_parts_ ? lock_commands_ : 0;
}

void DeviceCore::parts_locked(std::uint64_t command) {
  std::unique_lock lock(mutex_);
  if (!awaits_parts_ || command != lock_commands_) return;
  awaits_parts_ = false;
  Changes changes;
  update(changes);
  notify(lock, std::move(changes));
}

void DeviceCore::set_enabled(bool enabled) {
  std::unique_lock lock(mutex_);
  Changes changes;
  if (enabled_ != enabled) {
    const char* const names[] = {"DISABLED", "ENABLED"};
    changes.push_back(
        {DeviceStateChange::Category::operational, names[enabled_ ? 1 : 0], names[enabled ? 1 : 0]});
    enabled_ = enabled;
  }
  notify(lock, std::move(changes));
}

void DeviceCore::lock() {
  std::unique_lock lock(mutex_);
  Changes changes;
  ended_ = true;
  awaits_parts_ = false;
  set_admin(AdminState::locked, changes);
  notify(lock, std::move(changes));
}

std::string DeviceCore::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_locked();
}

std::string DeviceCore::locked() const {
  const std::lock_guard lock(mutex_);
  return locked_locked();
}

Result<void> DeviceCore::allocate(const std::vector<Amount>& amounts, const std::string& id) {
  std::unique_lock lock(mutex_);
  if (std::string why = closed_locked(); !why.empty()) return Error{ErrorKind::transient, std::move(why)};
  if (!id.empty() && allocations_.contains(id))
    return Error{ErrorKind::invalid, "the allocation '" + id + "' exists already"};
  if (!id.empty() && allocations_.size() == kMaxAllocations)
    return Error{ErrorKind::unavailable, "the device has " + std::to_string(kMaxAllocations) +
                                             " allocations, the most that it admits"};
  auto allocated = account_.allocate(amounts);
  if (!allocated) return allocated;
  if (!id.empty()) allocations_.emplace(id, amounts);
  Changes changes;
  update(changes);
  notify(lock, std::move(changes));
  return {};
}

Result<std::vector<Amount>> DeviceCore::deallocate(const std::vector<Amount>& amounts,
                                                   const std::string& id) {
  std::unique_lock lock(mutex_);
  if (std::string why = locked_locked(); !why.empty()) return Error{ErrorKind::transient, std::move(why)};
  const auto allocation = allocations_.find(id);
  if (!id.empty() && allocation == allocations_.end()) return std::vector<Amount>();
  std::vector<Amount> given_back = id.empty() ? amounts : allocation->second;
  if (auto returned = account_.deallocate(given_back); !returned) return returned.take_error();
  if (!id.empty()) allocations_.erase(allocation);
  Changes changes;
  update(changes);
  notify(lock, std::move(changes));
  return given_back;
}

std::map<std::string, double> DeviceCore::allocated(const std::string& id_prefix) const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, double> sums;
  for (auto each = allocations_.lower_bound(id_prefix);
       each != allocations_.end() && each->first.starts_with(id_prefix); ++each) {
    for (const Amount& amount : each->second) sums[amount.id] += amount.amount;
  }
  return sums;
}

bool DeviceCore::begin_use() {
  std::unique_lock lock(mutex_);
  if (!closed_locked().empty()) return false;
  ++uses_;
  Changes changes;
  update(changes);
  notify(lock, std::move(changes));
  return true;
}

void DeviceCore::end_use() {
  std::unique_lock lock(mutex_);
  --uses_;
  Changes changes;
  update(changes);
  notify(lock, std::move(changes));
}

UsageState DeviceCore::usage_locked() const {
  const UsageState allocated = account_.usage();
  return allocated == UsageState::idle && uses_ > 0 ? UsageState::active : allocated;
}

std::string DeviceCore::closed_locked() const {
  if (!enabled_) return "the device is DISABLED";
  return admin_ == AdminState::unlocked ? "" : std::string("the device is ") + name_of(admin_);
}

std::string DeviceCore::locked_locked() const {
  if (!enabled_) return "the device is DISABLED";
  return admin_ == AdminState::locked ? "the device is LOCKED" : "";
}

void DeviceCore::set_admin(AdminState state, Changes& changes) {
  if (admin_ == state) return;
  changes.push_back({DeviceStateChange::Category::administrative, name_of(admin_), name_of(state)});
  admin_ = state;
}

void DeviceCore::update(Changes& changes) {
  const UsageState usage = usage_locked();
  if (usage != last_usage_) {
    changes.push_back({DeviceStateChange::Category::usage, name_of(last_usage_), name_of(usage)});
    last_usage_ = usage;
  }
  if (admin_ == AdminState::shutting_down && usage == UsageState::idle && !awaits_parts_)
    set_admin(AdminState::locked, changes);
}

void DeviceCore::notify(std::unique_lock<std::mutex>& lock, Changes changes) {
  std::move(changes.begin(), changes.end(), std::back_inserter(pending_));
  if (notifying_) return;  // the thread that is telling will tell these, too: the order is kept
  notifying_ = true;
  while (!pending_.empty()) {
    const Changes now = std::exchange(pending_, {});
    lock.unlock();
    if (observer_) {
      for (const DeviceStateChange& change : now) observer_(change);
    }
    lock.lock();
  }
  notifying_ = false;
}

}  // namespace orbweaver::sca
