#include "sca/own_device/device_servant.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>

#include "sca/component/exception_text.h"
#include "sca/own_device/device_allocation.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

Device::Amounts sums_of(const std::vector<Amount>& amounts) {
  Device::Amounts sums;
  for (const Amount& each : amounts) sums[each.id] += each.amount;
  return sums;
}

/// The number as a property of the type; a whole one unless the type has fractions.
std::string text_of(double number, const std::string& type) {
  if (type != "double" && type != "float") number = std::floor(number);
  char digits[400];
  const auto written = std::to_chars(digits, digits + sizeof digits, number, std::chars_format::fixed);
  return {digits, written.ptr};
}

void warn(const char* what, const std::string& why) {
  std::fprintf(stderr, "warning: %s: %s\n", what, why.c_str());
}

}  // namespace

DeviceServant::DeviceServant(sca::Device& device, ComponentCore::PoaRef poa, DeviceNames names,
                             DeviceCore::Observer changed, std::function<void()> released)
    : ResourceServant(device, std::move(poa), std::move(released)), device_(device), parts_(*device.parts_),
      names_(std::move(names)) {
  parts_.observer = std::move(changed);
}

CF::Device::UsageType DeviceServant::usageState() { return usage_of(parts_.core); }
CF::Device::AdminType DeviceServant::adminState() { return admin_of(parts_.core); }
CF::Device::OperationalType DeviceServant::operationalState() { return operational_of(parts_.core); }

void DeviceServant::adminState(CF::Device::AdminType state) {
  // SHUTTING_DOWN cannot be commanded (SCA 2.2.2 3.1.3.3.1.4.1).
  if (state == CF::Device::AdminType::SHUTTING_DOWN) return;
  parts_.core.command(state == CF::Device::AdminType::LOCKED ? AdminState::locked : AdminState::unlocked);
}

bool DeviceServant::allocateCapacity(const CF::Properties& capacities) {
  if (const std::string why = parts_.core.closed(); !why.empty()) throw CF::Device::InvalidState(why);
  const DeviceAllocation allocation = allocation_of(capacities, parts_.core);
  const std::lock_guard lock(parts_.allocation_mutex);
  if (!allocate(parts_.core, allocation)) return false;
  const sca::Device::Amounts amounts = sums_of(allocation.amounts);
  try {
    if (amounts.empty() || device_.on_allocate(amounts)) return true;
  } catch (...) {
    warn("the device has refused an allocation", current_exception_text());
  }
  static_cast<void>(parts_.core.deallocate(allocation.amounts, allocation.id));
  return false;
}

void DeviceServant::deallocateCapacity(const CF::Properties& capacities) {
  if (const std::string why = parts_.core.locked(); !why.empty()) throw CF::Device::InvalidState(why);
  const DeviceAllocation allocation = allocation_of(capacities, parts_.core);
  const std::lock_guard lock(parts_.allocation_mutex);
  const sca::Device::Amounts amounts = sums_of(deallocate(parts_.core, allocation, capacities));
  if (amounts.empty()) return;
  try {
    device_.on_deallocate(amounts);
  } catch (...) {
    warn("on_deallocate() of the device has failed", current_exception_text());
  }
}

CORBA::Any DeviceServant::left(const std::string& id) const {
  const std::string& type = parts_.capacity_types.at(id);
  return any_of(type, text_of(parts_.core.left(id), type));
}

void DeviceServant::query(CF::Properties& configProperties) {
  const auto is_capacity = [&](const CF::DataType& each) { return parts_.core.has_capacity(each.id()); };
  const bool queries_all = configProperties.empty();
  CF::Properties others;
  std::copy_if(configProperties.begin(), configProperties.end(), std::back_inserter(others),
               [&](const CF::DataType& each) { return !is_capacity(each); });
  if (queries_all || !others.empty()) core_.query(others);
  if (queries_all) {
    configProperties = std::move(others);
    for (const std::string& id : parts_.core.capacities()) configProperties.emplace_back(id, left(id));
    return;
  }
  auto other = others.begin();
  for (CF::DataType& each : configProperties)
    is_capacity(each) ? each.value(left(each.id())) : each.value((other++)->value());
}

void DeviceServant::releaseObject() {
  parts_.core.command(AdminState::locked);
  parts_.core.lock();
  core_.release();
}

}  // namespace orbweaver::sca
