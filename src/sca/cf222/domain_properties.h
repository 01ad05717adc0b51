#pragma once

#include <orbweaver/result.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "CFC.h"
#include "sca/profile/property.h"

namespace orbweaver::sca {

/// The properties of a domain manager: the simple ones of kind configure in the PRFs of its DMD. Their values
/// last until the end of the process. Thread-safe.
class DomainProperties {
 public:
  DomainProperties() = default;
  explicit DomainProperties(std::vector<SimpleProperty> properties);
  DomainProperties(DomainProperties&& other) noexcept : values_(std::move(other.values_)) {}
  DomainProperties& operator=(DomainProperties&& other) noexcept {
    values_ = std::move(other.values_);
    return *this;
  }

  /// Raise as CF::PropertySet.
  void configure(const CF::Properties& properties);
  void query(CF::Properties& properties) const;

 private:
  struct Value {
    SimpleProperty property;
    std::string text;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Value> values_;
};

/// Reads the DMD `name` in the folder `root`, and what it names. Errors: invalid with the first mistake.
Result<DomainProperties> read_domain_profile(const std::string& root, const std::string& name);

}  // namespace orbweaver::sca
