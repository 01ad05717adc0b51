// CF::PropertySet and CF::TestableObject operations of a component.
#include "sca/component/exception_text.h"
#include "sca/runtime/component_servant.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {

void ComponentServant::configure(const CF::Properties& configProperties) {
  Component::Values values;
  for (const CF::DataType& property : configProperties) {
    const auto text = text_of(property.value());
    if (!text) {
      throw CF::PropertySet::InvalidConfiguration(
          "property '" + property.id() + "': the value is of a type that no simple property has", {property});
    }
    values.emplace_back(property.id(), *text);
  }
  try {
    component_.configure(values);
  } catch (...) {
    throw CF::PropertySet::InvalidConfiguration(current_exception_text(), configProperties);
  }
}

void ComponentServant::query(CF::Properties& configProperties) {
  if (configProperties.empty()) {
    for (const PropertyBase* property : component_.properties())
      configProperties.emplace_back(property->id(), CORBA::Any());
  }
  CF::Properties unknown;
  for (CF::DataType& property : configProperties) {
    if (const PropertyBase* known = component_.find_property(property.id())) {
      property.value(any_of(known->type(), component_.query(property.id())));
    } else {
      unknown.push_back(property);
    }
  }
  if (!unknown.empty()) throw CF::UnknownProperties(unknown);
}

void ComponentServant::runTest(std::uint32_t, CF::Properties&) { throw CF::TestableObject::UnknownTest(); }

}  // namespace orbweaver::sca
