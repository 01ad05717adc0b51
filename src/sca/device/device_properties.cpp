#include "sca/device/device_properties.h"

#include <algorithm>

#include "sca/runtime/property_any.h"

namespace orbweaver::sca {

const DeviceProperty* DeviceProperties::find(const std::string& id) const {
  const auto found = std::find_if(list_.begin(), list_.end(), [&](auto& each) { return each.id == id; });
  return found == list_.end() ? nullptr : &*found;
}

void DeviceProperties::query(CF::Properties& properties) const {
  if (properties.empty()) {
    for (const DeviceProperty& each : list_) properties.emplace_back(each.id, CORBA::Any());
  }
  CF::Properties unknown;
  for (CF::DataType& property : properties) {
    if (const DeviceProperty* const known = find(property.id())) {
      property.value(any_of(known->type, known->read()));
    } else {
      unknown.push_back(property);
    }
  }
  if (!unknown.empty()) throw CF::UnknownProperties(unknown);
}

void DeviceProperties::configure(const CF::Properties& properties) const {
  CF::Properties invalid;
  std::string why;
  const auto reject = [&](const CF::DataType& property, const std::string& reason) {
    invalid.push_back(property);
    if (why.empty()) why = "property '" + property.id() + "' " + reason;
  };
  for (const CF::DataType& property : properties) {
    const DeviceProperty* const known = find(property.id());
    const auto text = text_of(property.value());
    if (known == nullptr) {
      reject(property, "is unknown");
    } else if (!known->write) {
      reject(property, "is readonly");
    } else if (!text || !known->write(*text)) {
      reject(property, "cannot have this value; its type is " + known->type);
    }
  }
  if (invalid.empty()) return;
  if (invalid.size() < properties.size()) throw CF::PropertySet::PartialConfiguration(invalid);
  throw CF::PropertySet::InvalidConfiguration(why, invalid);
}

}  // namespace orbweaver::sca
