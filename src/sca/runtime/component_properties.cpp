// CF::PropertySet operations of a component.
#include "sca/component/exception_text.h"
#include "sca/runtime/component_core.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {

void ComponentCore::configure(const CF::Properties& properties) {
  Component::Values values;
  for (const CF::DataType& property : properties) {
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
    throw CF::PropertySet::InvalidConfiguration(current_exception_text(), properties);
  }
}

void ComponentCore::query(CF::Properties& properties) {
  if (properties.empty()) {
    for (const PropertyBase* property : component_.properties())
      properties.emplace_back(property->id(), CORBA::Any());
  }
  CF::Properties unknown;
  for (CF::DataType& property : properties) {
    if (const PropertyBase* known = component_.find_property(property.id())) {
      property.value(any_of(known->type(), component_.query(property.id())));
    } else {
      unknown.push_back(property);
    }
  }
  if (!unknown.empty()) throw CF::UnknownProperties(unknown);
}

}  // namespace orbweaver::sca
