#include <orbweaver/sca/device.h>

#include <cmath>
#include <stdexcept>

#include "sca/own_device/device_parts.h"

namespace orbweaver::sca {

Device::Device(Context& context) : Component(context), parts_(std::make_unique<detail::DeviceParts>()) {}
Device::~Device() = default;

Device::Capacity::Capacity(Device& device, const std::string& id, double total, const std::string& type)
    : device_(device), id_(id) {
  if (!std::isfinite(total) || total < 0)
    throw std::invalid_argument("the total of capacity '" + id + "' is not a number from 0");
  if (id == kAllocationId || !device.parts_->capacity_types.emplace(id, type).second)
    throw std::invalid_argument("the device cannot have a second capacity '" + id + "'");
  device.parts_->core.add_capacity(id, total);
}

double Device::Capacity::left() const { return device_.parts_->core.left(id_); }

bool Device::on_allocate(const Amounts& /*amounts*/) { return true; }
void Device::on_deallocate(const Amounts& /*amounts*/) {}

void Device::set_enabled(bool enabled) { parts_->core.set_enabled(enabled); }

}  // namespace orbweaver::sca
