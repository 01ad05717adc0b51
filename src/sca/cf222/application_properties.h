#pragma once

#include <string>
#include <vector>

#include "CFC.h"
#include "sca/cf/component_object.h"
#include "sca/domain/domain_records.h"
#include "sca/profile/property.h"

namespace orbweaver::sca {

class Domain;

/// The properties of an application: those of its assembly controller and its external ones, each at its
/// component, as far as the PRF of the component permits (mode, type, range and enumeration). Calls
/// components. Of one call; the domain outlives it.
class ApplicationProperties {
 public:
  ApplicationProperties(Domain& domain, const Application& application)
      : domain_(domain), application_(application) {}

  /// Sets none if a PRF does not permit one of the values: raises InvalidConfiguration with these. Raises the
  /// same if no component has set any, and PartialConfiguration with those that have not been set if some
  /// have; then the reasons are written to the log of the domain.
  void configure(const CF::Properties& given) const;
  /// Raises UnknownProperties with those that no component has, or that are writeonly.
  void query(CF::Properties& properties) const;

 private:
  struct Part;

  std::vector<Part> parts_of(const CF::Properties& properties) const;
  PropertyFile rules_of(const std::string& component) const;
  void query_all(CF::Properties& properties) const;

  Domain& domain_;
  const Application& application_;
};

/// The component of an application, with the time limit of calls of the domain. Raises TRANSIENT if it is not
/// known.
ComponentObject component_of(const Domain& domain, const Application& application, const std::string& id);

}  // namespace orbweaver::sca
