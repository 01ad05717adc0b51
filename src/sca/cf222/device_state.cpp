#include "sca/cf222/device_state.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

#include "sca/cf222/remote_calls.h"
#include "sca/deployment/device_object.h"
#include "sca/domain/allocation_property.h"
#include "sca/profile/property_json.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

/// Properties with these names tell the operating system, its version and the processor of a device.
constexpr std::string_view kSystem = "os_name", kVersion = "os_version";
constexpr std::string_view kProcessor = "processor_name";
/// Limit of calls to a device that does not have all of its properties. Each may take as long as a call may.
constexpr int kMaxQueries = 3;

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

template <class Property>
bool is_named(const Property& property, std::string_view name) {
  return in_lower_case(property.id) == name || in_lower_case(property.name) == name;
}

MatchAction action_of(const SimpleProperty& property) {
  return match_action_of_name(property.action).value_or(MatchAction::external);
}

/// The part of the platform that the property tells; null: none.
template <class Property>
std::string* part_of(Platform& platform, const Property& property) {
  if (is_named(property, kSystem)) return &platform.system;
  if (is_named(property, kVersion)) return &platform.version;
  return is_named(property, kProcessor) ? &platform.processor : nullptr;
}

/// Whether the present value of the property matters.
bool is_compared(const SimpleProperty& property) {
  Platform platform;
  return part_of(platform, property) != nullptr ||
         (property.allocation && action_of(property) != MatchAction::external);
}

// `device()` returns the device, whose calls have the time that is left.

/// The present values that the device tells, by id.
template <class Calls>
std::map<std::string, std::string> query(const Calls& device, const DeviceProfile& profile) {
  std::map<std::string, std::string> values;
  CF::Properties asked;
  for (const SimpleProperty& property : profile.properties)
    if (is_compared(property)) asked.emplace_back(property.id, CORBA::Any());
  for (const AllocationProperty& property : profile.structured)
    if (property.action != MatchAction::external) asked.emplace_back(property.id, CORBA::Any());
  if (asked.empty()) return values;
  for (int attempt = 0; attempt < kMaxQueries && !asked.empty(); ++attempt) {
    CF::Properties properties = asked;
    try {
      device().query(properties);
      for (const CF::DataType& each : properties)
        if (auto value = value_of(each.value()))
          values[each.id()] = value->form == PropertyForm::simple ? value->text : structured_text(*value);
      break;
    } catch (const CF::UnknownProperties& e) {  // those that it has
      std::erase_if(asked, [&](const CF::DataType& each) {
        const auto& unknown = e.invalidProperties();
        return std::any_of(unknown.begin(), unknown.end(),
                           [&](const CF::DataType& other) { return other.id() == each.id(); });
      });
    }
  }
  return values;
}

template <class Calls>
std::string closed_by_state(const Calls& device) {
  switch (device().admin_state()) {
    case CF::Device::AdminType::LOCKED: return "is locked";
    case CF::Device::AdminType::SHUTTING_DOWN: return "is shutting down";
    case CF::Device::AdminType::UNLOCKED: break;
  }
  if (device().operational_state() == CF::Device::OperationalType::DISABLED) return "is disabled";
  return {};
}

/// A device with these values of its properties, and those of its profile.
DeploymentDevice described(const RegisteredDevice& record, const IDL::traits<CORBA::Object>::ref_type& device,
                           const DeviceProfile& profile, const std::map<std::string, std::string>& values) {
  DeploymentDevice state;
  state.reference = device;
  state.is_sca41 = record.is_sca41;
  CandidateDevice& candidate = state.candidate;
  candidate.id = record.id;
  candidate.label = record.label;
  candidate.node = record.node;
  candidate.executes = record.executes;
  candidate.deployer_requires = profile.deployer_requires;
  const auto is_registered = [&](const auto& property) {
    return std::any_of(record.properties.begin(), record.properties.end(),
                       [&](const AllocationProperty& each) { return each.id == property.id; });
  };
  for (const SimpleProperty& property : profile.properties) {
    const auto present = values.find(property.id);
    const std::string value = present != values.end() ? present->second : property.value.value_or("");
    if (std::string* const part = part_of(candidate.platform, property)) *part = value;
    if (property.allocation && !is_registered(property))
      candidate.properties.push_back(
          {property.id, property.name, std::string(type_name(property.type)), action_of(property), value});
  }
  for (AllocationProperty property : profile.structured) {
    if (is_registered(property)) continue;
    if (const auto present = values.find(property.id); present != values.end())
      property.value = present->second;
    candidate.properties.push_back(std::move(property));
  }
  // What the device has told itself takes precedence over its profile.
  for (const AllocationProperty& property : record.properties) {
    if (std::string* const part = part_of(candidate.platform, property)) *part = property.value;
    candidate.properties.push_back(property);
  }
  return state;
}

}  // namespace

DeploymentDevice registered_device(const RegisteredDevice& record,
                                   const IDL::traits<CORBA::Object>::ref_type& device,
                                   const DeviceProfile& profile) {
  return described(record, device, profile, {});
}

DeviceQuestions::Limit DeviceQuestions::limit_of(const std::string& reference) {
  const std::lock_guard lock(mutex_);
  const auto found = silent_.find(reference);
  if (found == silent_.end()) return {limits_.call};
  const auto now = Clock::now();
  if (now - found->second < limits_.again || again_ == kSilentDevicesAtATime) return {limits_.silent, false};
  found->second = now;
  ++again_;
  return {limits_.call, true, true};
}

void DeviceQuestions::end(const Limit& limit) {
  const std::lock_guard lock(mutex_);
  if (limit.is_again) --again_;
}

void DeviceQuestions::set_answers(const std::string& reference) {
  const std::lock_guard lock(mutex_);
  silent_.erase(reference);
}

void DeviceQuestions::set_silent(const std::string& reference) {
  constexpr std::size_t kMostSilent = 4096;
  const std::lock_guard lock(mutex_);
  if (silent_.size() >= kMostSilent) silent_.clear();  // most are those of lost nodes
  silent_[reference] = Clock::now();
}

DeploymentDevice DeviceQuestions::present_state(const RegisteredDevice& record,
                                                const IDL::traits<CORBA::Object>::ref_type& device,
                                                const DeviceProfile& profile, platform::Deadline deadline) {
  std::string closed;
  std::map<std::string, std::string> values;
  if (deadline.passed()) {
    closed = "was not asked: others have not answered in time";
  } else {
    const Limit limit = limit_of(record.reference);
    bool is_whole = true;  // the last call had the whole limit
    const auto calls = [&] {
      using std::chrono::nanoseconds;
      const nanoseconds left =
          std::max(nanoseconds(deadline.ns - platform::now_ns()), nanoseconds(1'000'000));
      is_whole = left >= limit.call;
      return DeviceObject(limited<CORBA::Object>(device, std::min(limit.call, left)), record.is_sca41);
    };
    bool is_late = false;
    try {
      closed = closed_by_state(calls);
      values = query(calls, profile);
    } catch (const CORBA::SystemException& e) {
      closed = "does not answer: " + why(e);
      is_late = dynamic_cast<const CORBA::TIMEOUT*>(&e) != nullptr;
    } catch (const CORBA::Exception& e) {
      closed = std::string("raises ") + e._name();
    } catch (const std::exception& e) {  // what it has returned cannot be used
      closed = std::string("cannot be asked: ") + e.what();
    }
    end(limit);
    if (!is_late) {
      set_answers(record.reference);
    } else if (limit.is_usual && is_whole) {  // otherwise others have delayed it, or it is silent already
      set_silent(record.reference);
    }
  }
  DeploymentDevice state = described(record, device, profile, values);
  state.candidate.closed = std::move(closed);
  return state;
}

}  // namespace orbweaver::sca
