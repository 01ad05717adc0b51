#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sca/profile/location.h"

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

/// One <simple> of a property file. `value`, where it is there, is known to fit type, range and
/// enumeration.
struct SimpleProperty {
  std::string id;
  std::string name;  ///< The id where the file gives none.
  PropertyType type = PropertyType::string;
  bool exec_param = false;    ///< Of kind execparam: given to the component on its command line.
  bool configurable = false;  ///< Of kind configure: set by PropertySet::configure() before the component is started.
  bool read_only = false;     ///< Its mode: what is configurable can only be queried then.
  std::vector<std::string> other_kinds;  ///< Of allocation, test, factoryparam: nothing sets such a property here.
  std::string description;
  std::string units;
  std::optional<std::string> value;  ///< The default.
  std::optional<double> min, max;
  std::vector<std::string> choices;  ///< The values of its enumeration; empty where it has none.
  Location where;

  /// What is wrong with `text` as this property's value, or nothing. "must be a whole number from …"
  std::optional<std::string> objection(std::string_view text) const;
  /// A value without objection in the form that components read: whole numbers in decimal digits ("0x1f": "31").
  std::string canonical(const std::string& text) const;
  /// Whether the framework gives it to the component: by the command line, or by configure().
  bool can_be_set() const { return exec_param || (configurable && !read_only); }
  /// What is wrong with a component's property of that type (a PRF's word, or longlong, ulonglong, int8) for this
  /// one, or nothing: it must hold every value that this one's type has. "octet in its class, which holds 0 to 255"
  std::optional<std::string> mismatch(std::string_view type_in_code) const;
};

/// A PRF, or nothing of it where a component has none.
struct PropertyFile {
  std::vector<SimpleProperty> simple;

  const SimpleProperty* find(std::string_view id) const;
};

/// The word that PRFs use: "ulong", "float".
std::string_view type_name(PropertyType type);
std::optional<PropertyType> type_of_name(std::string_view name);

/// Reads a PRF. Sequences, structures and tests are refused. Throws ProfileError.
PropertyFile read_property_file(const std::string& path);

}  // namespace orbweaver::sca
