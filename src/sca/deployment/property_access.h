#pragma once

#include <string>

#include <orbweaver/sca/property_value.h>
#include "CFC.h"
#include "sca/profile/property.h"

/// What a caller may do with the properties of a component while it exists, by its PRF: mode, type, range and
/// enumeration. Properties that the PRF does not have are left to the component.
namespace orbweaver::sca {

/// Values that a caller gives to configure().
struct CheckedValues {
  CF::Properties values;   ///< Those that are permitted, in the types of the PRF.
  CF::Properties invalid;  ///< The others.
  std::string reasons;     ///< Why they are not permitted: "property 'gain' must be …; …". Printable.
};

/// When values are set: while the component runs, or by create() before its start, also exec params, and
/// readonly properties of REDHAWK's kind property.
enum class ValueUse { running, initial };

/// Which values configure() may set.
CheckedValues check_values(const PropertyFile& properties, const CF::Properties& given,
                           ValueUse use = ValueUse::running);

/// The value of a property that is in the PRF, in its type. Throws std::invalid_argument with the reason if
/// configure() may not set it.
CORBA::Any permitted_value(const PropertyFile& properties, const std::string& id, const PropertyValue& value,
                           ValueUse use = ValueUse::running);

/// Whether query() may not return the property: its mode is writeonly.
bool is_write_only(const PropertyFile& properties, const std::string& id);

}  // namespace orbweaver::sca
