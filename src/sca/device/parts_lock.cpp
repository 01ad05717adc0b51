#include "sca/device/parts_lock.h"

#include <chrono>

#include "platform/thread.h"

namespace orbweaver::sca {
namespace {

/// Between two questions whether parts that are in use are locked.
constexpr std::chrono::milliseconds kInterval{100};

}  // namespace

void PartsLock::lock() {
  // Its parts follow a change only, so that devices that are part of each other do not call without an end.
  if (!core_.command_lock_with_parts()) return;
  parts_.set_admin_state(CF::Device::AdminType::LOCKED);
  const std::uint64_t command = core_.awaited_parts();
  if (command == 0) return;
  if (parts_.are_locked()) {
    core_.parts_locked(command);
  } else {
    watch();
  }
}

void PartsLock::unlock() {
  if (core_.command(AdminState::unlocked)) parts_.set_admin_state(CF::Device::AdminType::UNLOCKED);
}

void PartsLock::watch() {
  const std::lock_guard lock(mutex_);
  if (is_watching_) return;
  is_watching_ = true;
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });  // joins one that has ended
}

void PartsLock::run(const std::stop_token& stop) {
  platform::name_this_thread("ow-parts-lock");
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const std::uint64_t command = core_.awaited_parts();
    if (command == 0) break;
    lock.unlock();
    if (parts_.are_locked()) core_.parts_locked(command);
    lock.lock();
    changed_.wait_for(lock, stop, kInterval, [&] { return core_.awaited_parts() == 0; });
  }
  is_watching_ = false;
}

}  // namespace orbweaver::sca
