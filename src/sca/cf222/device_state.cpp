#include "sca/cf222/device_state.h"

#include <algorithm>
#include <map>
#include <optional>

#include "sca/cf222/remote_calls.h"
#include "sca/deployment/device_object.h"
#include "sca/domain/allocation_property.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

/// Properties with these names tell the operating system and the processor of a device.
constexpr std::string_view kSystem = "os_name";
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

/// Whether the present value of the property matters.
bool is_compared(const SimpleProperty& property) {
  return is_named(property, kSystem) || is_named(property, kProcessor) ||
         (property.allocation && action_of(property) != MatchAction::external);
}

/// The present values that the device tells, by id.
std::map<std::string, std::string> query(const DeviceObject& device, const DeviceProfile& profile) {
  std::map<std::string, std::string> values;
  CF::Properties asked;
  for (const SimpleProperty& property : profile.properties)
    if (is_compared(property)) asked.emplace_back(property.id, CORBA::Any());
  if (asked.empty()) return values;
  for (int attempt = 0; attempt < kMaxQueries && !asked.empty(); ++attempt) {
    CF::Properties properties = asked;
    try {
      device.query(properties);
      for (const CF::DataType& each : properties)
        if (auto text = text_of(each.value())) values[each.id()] = *text;
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

std::string closed_by_state(const DeviceObject& device) {
  switch (device.admin_state()) {
    case CF::Device::AdminType::LOCKED: return "is locked";
    case CF::Device::AdminType::SHUTTING_DOWN: return "is shutting down";
    case CF::Device::AdminType::UNLOCKED: break;
  }
  if (device.operational_state() == CF::Device::OperationalType::DISABLED) return "is disabled";
  return {};
}

/// A device with these values of its properties, and those of its profile.
DeploymentDevice described(const Device& record, const IDL::traits<CORBA::Object>::ref_type& device,
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
  const auto is_registered = [&](const SimpleProperty& property) {
    return std::any_of(record.properties.begin(), record.properties.end(),
                       [&](const AllocationProperty& each) { return each.id == property.id; });
  };
  for (const SimpleProperty& property : profile.properties) {
    const auto present = values.find(property.id);
    const std::string value = present != values.end() ? present->second : property.value.value_or("");
    if (is_named(property, kSystem)) candidate.system = value;
    if (is_named(property, kProcessor)) candidate.processor = value;
    if (property.allocation && !is_registered(property))
      candidate.properties.push_back(
          {property.id, property.name, std::string(type_name(property.type)), action_of(property), value});
  }
  // What the device has told itself takes precedence over its profile.
  for (const AllocationProperty& property : record.properties) {
    if (is_named(property, kSystem)) candidate.system = property.value;
    if (is_named(property, kProcessor)) candidate.processor = property.value;
    candidate.properties.push_back(property);
  }
  return state;
}

}  // namespace

DeploymentDevice registered_device(const Device& record, const IDL::traits<CORBA::Object>::ref_type& device,
                                   const DeviceProfile& profile) {
  return described(record, device, profile, {});
}

DeploymentDevice present_state(const Device& record, const IDL::traits<CORBA::Object>::ref_type& device,
                               const DeviceProfile& profile) noexcept {
  std::string closed;
  std::map<std::string, std::string> values;
  try {
    const DeviceObject calls(limited<CORBA::Object>(device, kAttributeLimit), record.is_sca41);
    closed = closed_by_state(calls);
    values = query(calls, profile);
  } catch (const CORBA::SystemException& e) {
    closed = "does not answer: " + why(e);
  } catch (const CORBA::Exception& e) {
    closed = std::string("raises ") + e._name();
  }
  DeploymentDevice state = described(record, device, profile, values);
  state.candidate.closed = std::move(closed);
  return state;
}

}  // namespace orbweaver::sca
