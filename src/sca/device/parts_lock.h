#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "sca/device/aggregate_device.h"
#include "sca/device_state/device_core.h"

namespace orbweaver::sca {

/// Locks a device with its parts: the device remains SHUTTING_DOWN until all parts are LOCKED (SCA 2.2.2
/// 3.1.3.3.1, adminState). Parts that are in use are asked again and again by a thread of its own, which ends
/// when they are locked, or the device is unlocked or released. Thread-safe.
class PartsLock {
 public:
  /// Both outlive it.
  PartsLock(DeviceCore& core, AggregateDeviceServant& parts) : core_(core), parts_(parts) {}

  /// Blocks while the parts are called. No effect unless the device is unlocked.
  void lock();
  void unlock();

 private:
  void watch();
  void run(const std::stop_token& stop);

  DeviceCore& core_;
  AggregateDeviceServant& parts_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool is_watching_ = false;  // mutex_
  std::jthread thread_;       // mutex_; the last member: it uses the others
};

}  // namespace orbweaver::sca
