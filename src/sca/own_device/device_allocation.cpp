#include "sca/own_device/device_allocation.h"

#include <charconv>
#include <cmath>
#include <optional>

#include "StandardEventC.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

/// Limit of an allocation_id, in octets.
constexpr std::size_t kMaxAllocationId = 256;

bool is_allocation_id(const CORBA::Any& value, std::string& id) {
  return (value >>= id) && !id.empty() && id.size() <= kMaxAllocationId;
}

/// The number that an any contains. A string is no number, whatever it contains.
std::optional<double> number_in(const CORBA::Any& any) {
  std::string characters;
  if (any >>= characters) return std::nullopt;
  const auto text = text_of(any);
  if (!text) return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return number;
}

/// "processors and memory_mb"
std::string list_of(const std::vector<std::string>& ids) {
  std::string text = ids.empty() ? "none" : ids.front();
  for (std::size_t i = 1; i < ids.size(); ++i) text += (i + 1 == ids.size() ? " and " : ", ") + ids[i];
  return text;
}

StandardEvent::StateChangeType state_of(const std::string& name) {
  using State = StandardEvent::StateChangeType;
  if (name == "LOCKED") return State::LOCKED;
  if (name == "UNLOCKED") return State::UNLOCKED;
  if (name == "SHUTTING_DOWN") return State::SHUTTING_DOWN;
  if (name == "ENABLED") return State::ENABLED;
  if (name == "DISABLED") return State::DISABLED;
  if (name == "IDLE") return State::IDLE;
  return name == "ACTIVE" ? State::ACTIVE : State::BUSY;
}

}  // namespace

DeviceAllocation allocation_of(const CF::Properties& capacities, const DeviceCore& device) {
  DeviceAllocation allocation;
  CF::Properties invalid;
  std::string why;
  for (const CF::DataType& capacity : capacities) {
    const auto number = number_in(capacity.value());
    std::string problem;
    if (capacity.id() == kAllocationId) {
      if (allocation.id.empty() && is_allocation_id(capacity.value(), allocation.id)) continue;
      problem = "'" + capacity.id() + "' is no string of 1 to " + std::to_string(kMaxAllocationId) +
                " octets, or is there twice";
    } else if (!device.has_capacity(capacity.id())) {
      problem = "the device has no capacity '" + capacity.id() + "'; it has " + list_of(device.capacities());
    } else if (!number || !std::isfinite(*number) || *number < 0) {
      problem = "the amount of '" + capacity.id() + "' is not a number from 0";
    }
    if (problem.empty()) {
      allocation.amounts.push_back({capacity.id(), *number});
      continue;
    }
    invalid.push_back(capacity);
    if (why.empty()) why = problem;
  }
  if (!invalid.empty()) throw CF::Device::InvalidCapacity(why, invalid);
  return allocation;
}

bool allocate(DeviceCore& device, const DeviceAllocation& allocation) {
  const auto allocated = device.allocate(allocation.amounts, allocation.id);
  if (!allocated && allocated.error().kind == ErrorKind::transient)
    throw CF::Device::InvalidState(allocated.error().message);
  return static_cast<bool>(allocated);
}

std::vector<Amount> deallocate(DeviceCore& device, const DeviceAllocation& allocation,
                               const CF::Properties& capacities) {
  auto returned = device.deallocate(allocation.amounts, allocation.id);
  if (returned) return std::move(*returned);
  if (returned.error().kind == ErrorKind::transient) throw CF::Device::InvalidState(returned.error().message);
  throw CF::Device::InvalidCapacity(returned.error().message, capacities);
}

CF::Device::UsageType usage_of(const DeviceCore& device) {
  switch (device.usage()) {
    case UsageState::idle: return CF::Device::UsageType::IDLE;
    case UsageState::active: return CF::Device::UsageType::ACTIVE;
    case UsageState::busy: break;
  }
  return CF::Device::UsageType::BUSY;
}

CF::Device::AdminType admin_of(const DeviceCore& device) {
  switch (device.admin()) {
    case AdminState::locked: return CF::Device::AdminType::LOCKED;
    case AdminState::shutting_down: return CF::Device::AdminType::SHUTTING_DOWN;
    case AdminState::unlocked: break;
  }
  return CF::Device::AdminType::UNLOCKED;
}

CF::Device::OperationalType operational_of(const DeviceCore& device) {
  return device.enabled() ? CF::Device::OperationalType::ENABLED : CF::Device::OperationalType::DISABLED;
}

CORBA::Any event_of(const std::string& id, const DeviceStateChange& change) {
  using Category = StandardEvent::StateChangeCategoryType;
  const Category category =
      change.category == DeviceStateChange::Category::administrative ? Category::ADMINISTRATIVE_STATE_EVENT
      : change.category == DeviceStateChange::Category::operational  ? Category::OPERATIONAL_STATE_EVENT
                                                                     : Category::USAGE_STATE_EVENT;
  CORBA::Any event;
  event <<= StandardEvent::StateChangeEventType(id, id, category, state_of(change.from), state_of(change.to));
  return event;
}

}  // namespace orbweaver::sca
