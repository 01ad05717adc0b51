#pragma once

#include <string>
#include <vector>

#include <orbweaver/any.h>
#include <orbweaver/sca/property_value.h>
#include "monitor/snapshot.h"
#include "sca/profile/property.h"

/// Properties of components as the web monitor shows and takes them: simple values as in a PRF, others as
/// JSON.
namespace orbweaver::sca {

/// A property with the value that a component has returned. `rules` is its PRF, which may lack it.
monitor::Property read_property(const PropertyFile& rules, const std::string& id, const CORBA::Any& value);

/// Adds the writeonly properties of a PRF, without values.
void add_write_only(const PropertyFile& rules, std::vector<monitor::Property>& properties);

/// Reads the value of a property. Throws std::invalid_argument if it is none.
PropertyValue value_of_form(PropertyForm form, const std::string& text);

/// The value of a property of a PRF, in its type. Throws std::invalid_argument if it cannot be set to it.
CORBA::Any given_value(const PropertyFile& rules, const std::string& id, const std::string& text);

}  // namespace orbweaver::sca
