#pragma once

#include <functional>
#include <string>
#include <vector>

#include "CFC.h"

namespace orbweaver::sca {

/// A property of a device or device manager, as CF::PropertySet has it.
struct DeviceProperty {
  std::string id;
  std::string type;                   ///< PRF type name: "ulong".
  std::function<std::string()> read;  ///< Its present value as text.
  /// Sets it; false if it cannot have that value. Null: it is readonly.
  std::function<bool(const std::string&)> write;
};

/// The operations of CF::PropertySet over a list of properties, which is not changed while they run.
/// Functions of properties are called by the threads of the callers.
class DeviceProperties {
 public:
  explicit DeviceProperties(std::vector<DeviceProperty> list) : list_(std::move(list)) {}

  /// Raises CF::UnknownProperties.
  void query(CF::Properties& properties) const;
  /// Raises CF::PropertySet::InvalidConfiguration if none could be set, PartialConfiguration if some could.
  void configure(const CF::Properties& properties) const;

  const std::vector<DeviceProperty>& list() const { return list_; }

 private:
  const DeviceProperty* find(const std::string& id) const;

  std::vector<DeviceProperty> list_;
};

}  // namespace orbweaver::sca
