#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "platform/clock.h"
#include "sca/cf222/device_profiles.h"
#include "sca/deployment/deployment.h"
#include "sca/domain/domain_records.h"

namespace orbweaver::sca {

/// A device as its record and profile describe it. Does not call it.
DeploymentDevice registered_device(const RegisteredDevice& record,
                                   const IDL::traits<CORBA::Object>::ref_type& device,
                                   const DeviceProfile& profile);

/// Times of the question to all devices for their states.
struct DeviceQuestionLimits {
  std::chrono::milliseconds call{5000};   ///< Of one call.
  std::chrono::milliseconds all{10'000};  ///< Of the question to all devices together.
  std::chrono::milliseconds silent{250};  ///< Of one call of a device that has not answered before.
  /// Time after which a device that has not answered has the limit `call` again, for one question.
  std::chrono::milliseconds again{30'000};
};
/// Devices that are asked at a time: so many that hang do not delay others.
inline constexpr std::size_t kDevicesAtATime = 64;

/// Devices that have not answered and are asked at a time with the limit of others: so many that still hang
/// leave most of kDevicesAtATime to others.
inline constexpr int kSilentDevicesAtATime = 16;

/// Asks devices for their states and the present values of their allocation properties. A device that does
/// not answer, or whose answer cannot be used, is closed. The next calls of one that has not answered within
/// the limit of a call have a short limit, until it answers or registers; from time to time, they have the
/// usual one. Thread-safe; no lock is held while a device is called.
class DeviceQuestions {
 public:
  explicit DeviceQuestions(const DeviceQuestionLimits& limits) : limits_(limits) {}

  /// The end of a question to all devices that begins now.
  platform::Deadline deadline() const { return platform::Deadline::in_ms(limits_.all.count()); }
  /// Asks one of them; one that is not reached before the deadline is closed. Blocks while the device is
  /// called, not after the deadline. Throws no CORBA exception.
  DeploymentDevice present_state(const RegisteredDevice& record,
                                 const IDL::traits<CORBA::Object>::ref_type& device,
                                 const DeviceProfile& profile, platform::Deadline deadline);
  /// The device with this reference has registered: it has the limit of others again.
  void registered(const std::string& reference) { set_answers(reference); }

 private:
  using Clock = std::chrono::steady_clock;
  /// Calls to one device, and their limit.
  struct Limit {
    std::chrono::nanoseconds call;
    bool is_usual = true;   // that of devices that answer
    bool is_again = false;  // of a device that has not answered
  };

  Limit limit_of(const std::string& reference);
  /// The question with this limit has ended.
  void end(const Limit& limit);
  void set_answers(const std::string& reference);
  void set_silent(const std::string& reference);

  const DeviceQuestionLimits limits_;
  std::mutex mutex_;  // for the following
  /// Devices that have not answered, by reference: when they were last asked with the usual limit.
  std::map<std::string, Clock::time_point> silent_;
  int again_ = 0;  // of them, those that are being asked with it
};

}  // namespace orbweaver::sca
