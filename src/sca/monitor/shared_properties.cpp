#include "sca/monitor/shared_properties.h"

namespace orbweaver::sca {

void SharedProperties::forget_old(Clock::time_point now) {
  std::erase_if(entries_, [&](const auto& each) {
    const Entry& entry = each.second;
    return !entry.is_being_read && (!entry.outcome || now - entry.read_at >= interval_);
  });
}

SharedProperties::OutcomeRef SharedProperties::get(const std::string& reference,
                                                   const std::function<Outcome()>& read) {
  std::unique_lock lock(mutex_);
  const auto is_being_read = [&] {
    const auto found = entries_.find(reference);
    return found != entries_.end() && found->second.is_being_read;
  };
  changed_.wait(lock, [&] { return !is_being_read(); });
  forget_old(Clock::now());
  if (const auto found = entries_.find(reference); found != entries_.end()) return found->second.outcome;
  entries_[reference].is_being_read = true;
  OutcomeRef outcome;
  lock.unlock();
  try {
    outcome = std::make_shared<const Outcome>(read());
  } catch (...) {
    lock.lock();
    entries_.erase(reference);
    changed_.notify_all();
    throw;
  }
  lock.lock();
  Entry& entry = entries_[reference];
  if (entry.is_outdated) {
    entries_.erase(reference);
  } else {
    entry = {outcome, Clock::now(), false, false};
  }
  changed_.notify_all();
  return outcome;
}

void SharedProperties::forget(const std::string& reference) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(reference);
  if (found == entries_.end()) return;
  found->second.outcome = nullptr;
  found->second.is_outdated = found->second.is_being_read;
  if (!found->second.is_being_read) entries_.erase(found);
}

}  // namespace orbweaver::sca
