#include "sca/deployment/property_access.h"

#include <stdexcept>

#include "base/printable.h"
#include "sca/profile/property_values.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

/// Length of a caller's text in a message.
constexpr std::size_t kMostValueText = 100;

/// Values of these types may be passed in types that are not known here: a component decides.
bool has_other_types(const PropertyFile& properties, const std::string& id) {
  const SimpleProperty* property = properties.find(id);
  if (property == nullptr) property = properties.find_sequence(id);
  return property != nullptr && (property->is_complex || property->type == PropertyType::utc_time ||
                                 property->type == PropertyType::objref);
}

/// Converts a value to the type of the property. Throws std::invalid_argument if it cannot have it.
template <class Property>
CORBA::Any convert(const Property& property, const PropertyValue& given) {
  if (const auto problem = problem_of(property, given)) throw std::invalid_argument(*problem);
  return any_of(declared_type(property), canonical(property, given));
}

/// Throws std::invalid_argument if the mode of the property forbids it.
void check_mode(const PropertyUse& property, ValueUse use) {
  const bool is_initial = use == ValueUse::initial && (property.exec_param || property.set_initially);
  if (property.read_only && !is_initial) throw std::invalid_argument("is readonly");
}

/// The value that is passed to the component. Throws std::invalid_argument if it may not be set.
CORBA::Any passed_value(const PropertyFile& properties, const CF::DataType& given, ValueUse use) {
  const PropertyUse* const known = properties.find_use(given.id());
  if (known == nullptr) return given.value();
  if (const auto read = value_of(given.value())) return permitted_value(properties, given.id(), *read, use);
  check_mode(*known, use);
  if (has_other_types(properties, given.id())) return given.value();
  throw std::invalid_argument("cannot have a value of this type: no property has it");
}

}  // namespace

CORBA::Any permitted_value(const PropertyFile& properties, const std::string& id, const PropertyValue& value,
                           ValueUse use) {
  const PropertyUse* const known = properties.find_use(id);
  if (known == nullptr) throw std::invalid_argument("is not in the PRF");
  check_mode(*known, use);
  if (const auto* simple = properties.find(id)) return convert(*simple, value);
  if (const auto* sequence = properties.find_sequence(id)) return convert(*sequence, value);
  return convert(*properties.find_struct(id), value);
}

CheckedValues check_values(const PropertyFile& properties, const CF::Properties& given, ValueUse use) {
  CheckedValues checked;
  for (const CF::DataType& each : given) {
    try {
      checked.values.emplace_back(each.id(), passed_value(properties, each, use));
    } catch (const std::invalid_argument& e) {
      checked.reasons += (checked.reasons.empty() ? "property '" : "; property '") +
                         printable(each.id(), kMostValueText) + "' " +
                         printable(e.what(), 2 * kMostValueText);
      checked.invalid.push_back(each);
    }
  }
  return checked;
}

bool is_write_only(const PropertyFile& properties, const std::string& id) {
  const PropertyUse* const use = properties.find_use(id);
  return use != nullptr && use->write_only;
}

}  // namespace orbweaver::sca
