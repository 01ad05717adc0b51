#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sca/profile/profile_error.h"

namespace orbweaver::sca {

/// The types of a simple property (SCA 2.2.2 D.5.1.1).
enum class PropertyType {
  boolean,
  character,
  real32,
  real64,
  int16,
  int32,
  uint16,
  uint32,
  octet,
  string,
  objref
};

/// A <simple> property of a PRF. `value`, if set, fits type, range and enumeration.
struct SimpleProperty {
  std::string id;
  std::string name;  ///< By default the id.
  PropertyType type = PropertyType::string;
  bool exec_param = false;     ///< Of kind execparam: passed on the component's command line.
  bool configurable = false;   ///< Of kind configure: set by PropertySet::configure() before the start.
  bool read_only = false;      ///< Mode readonly: a configurable property can only be queried.
  bool factory_param = false;  ///< Of kind factoryparam: passed to createResource() of a resource factory.
  std::vector<std::string> other_kinds;  ///< allocation, test: kinds without effect.
  std::string description;
  std::string units;
  std::optional<std::string> value;  ///< The default.
  std::optional<double> min, max;
  std::vector<std::string> choices;  ///< The values of its enumeration; empty: no enumeration.
  Location where;

  /// Why `text` is not a valid value of this property ("must be a whole number from …"), or nullopt.
  std::optional<std::string> problem(std::string_view text) const;
  /// Converts a valid value to the form that components read: whole numbers in decimal digits ("0x1f": "31").
  std::string canonical(const std::string& text) const;
  /// Whether the framework can set it: on the command line or by configure().
  bool can_be_set() const { return exec_param || (configurable && !read_only); }
  /// Why a component's property of type `type_in_code` (a PRF type name, or longlong, ulonglong, int8) does
  /// not match this property, or nullopt: it must be able to hold every value of this property's type.
  /// Example: "octet in its class, which holds 0 to 255".
  std::optional<std::string> mismatch(std::string_view type_in_code) const;

 private:
  /// Whether min and max permit the value.
  bool is_permitted(double given) const;
  /// The values that min and max permit, for messages: "from 0 to 10 dB".
  std::string permitted_range() const;
};

/// The properties of a PRF; empty if the component has none.
struct PropertyFile {
  std::vector<SimpleProperty> simple;

  /// The property with that id; null if there is none.
  const SimpleProperty* find(std::string_view id) const;
};

/// The type's name in PRFs: "ulong", "float".
std::string_view type_name(PropertyType type);
/// The type with this name in PRFs; nullopt if there is none.
std::optional<PropertyType> type_of_name(std::string_view name);

/// Reads a PRF. Rejects sequences, structures and tests. Throws ProfileError.
PropertyFile read_property_file(const std::string& path);

}  // namespace orbweaver::sca
