#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sca/profile/profile_error.h"

namespace orbweaver::sca {

/// The types of a simple property (SCA 2.2.2 D.5.1.1). int64, uint64 and utc_time are REDHAWK's.
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
  objref,
  int64,
  uint64,
  utc_time
};

/// What a property is used for: its kinds and its mode.
struct PropertyUse {
  /// Of kind execparam: passed on the component's command line; or of REDHAWK's kind property, with
  /// commandline.
  bool exec_param = false;
  /// Of kind configure: set by PropertySet::configure() before the start; or of REDHAWK's kind property.
  bool configurable = false;
  bool read_only = false;      ///< Mode readonly: a configurable property can only be queried.
  bool write_only = false;     ///< Mode writeonly: a configurable property can only be set.
  bool factory_param = false;  ///< Of kind factoryparam: passed to createResource() of a resource factory.
  /// Of REDHAWK's kind property: an assembly sets it also if it is readonly.
  bool set_initially = false;
  bool allocation = false;               ///< Of kind allocation: a capacity or capability of a device.
  std::vector<std::string> other_kinds;  ///< allocation, test, event, message: kinds without effect here.

  /// Whether the framework can set it: on the command line or by configure().
  bool can_be_set() const { return exec_param || (configurable && !read_only); }
};

/// A <simple> property of a PRF, a <simplesequence>, or a member of a struct. `value` and `values`, if set,
/// fit type, range and enumeration.
struct SimpleProperty : PropertyUse {
  std::string id;
  std::string name;                          ///< By default the id.
  PropertyType type = PropertyType::string;  ///< Of a sequence: of its elements.
  bool is_sequence = false;
  bool is_complex = false;   ///< REDHAWK: values are complex numbers: "1.5+j2".
  bool is_optional = false;  ///< REDHAWK: may be without a value.
  std::string description;
  std::string units;
  std::optional<std::string> value;  ///< The default; not of a sequence.
  std::vector<std::string> values;   ///< The default of a sequence.
  std::string action;  ///< How a value is compared with a device's: "eq"; by default "external".
  std::optional<double> min, max;
  std::vector<std::string> choices;  ///< The values of its enumeration; empty: no enumeration.
  std::vector<std::string> labels;   ///< Their labels.
  Location where;

  /// Why `text` is not a valid value of this property ("must be a whole number from …"), or nullopt.
  std::optional<std::string> problem(std::string_view text) const;
  /// Whether `text`, which a profile gives, is no value: it is empty, and the property is not a text or, for
  /// REDHAWK, optional.
  bool is_none(std::string_view text) const;
  /// Whether `text` is a number beyond the range of the property, which is a float of any value: its value is
  /// the largest or the lowest float.
  bool is_beyond_float(std::string_view text) const;
  /// Whether its type is an integer or a real.
  bool is_numeric() const;
  /// Converts a valid value, or one beyond the range of float, to the form that components read: whole
  /// numbers in decimal digits ("0x1f": "31").
  std::string canonical(const std::string& text) const;
  /// Why a component's property of type `type_in_code` (a PRF type name, or longlong, ulonglong, int8) does
  /// not match this property, or nullopt: it must be able to hold every value of this property's type.
  /// Example: "octet in its class, which holds 0 to 255".
  std::optional<std::string> mismatch(std::string_view type_in_code) const;

 private:
  /// The same, for one part of a complex value or for a value that is not complex.
  std::optional<std::string> problem_of_number(std::string_view text) const;
  /// Whether min and max permit the value.
  bool is_permitted(double given) const;
  /// The values that min and max permit, for messages: "from 0 to 10 dB".
  std::string permitted_range() const;
};

/// A value given to a property: by its PRF, or by an assembly or a node instead of that.
struct PropertySetting {
  std::string id;
  std::string value;  ///< Of a simple property.
  Location where;
  std::vector<std::string> values = {};                    ///< Of a sequence.
  std::vector<std::vector<PropertySetting>> structs = {};  ///< Of a struct: one; of a sequence: its elements.
};

/// The members of a struct.
struct StructMembers {
  explicit StructMembers(std::vector<SimpleProperty> members);

  std::vector<SimpleProperty> list;
  std::map<std::string, std::size_t, std::less<>> index;  ///< Into list, by id.

  /// Null if there is none.
  const SimpleProperty* find(std::string_view id) const;
};

/// A <struct> or <structsequence> of a PRF.
struct StructProperty : PropertyUse {
  std::string id;
  std::string name;  ///< By default the id.
  std::string description;
  bool is_sequence = false;
  /// With the default values of a struct. Of a sequence: those of the struct that it names or contains. Null
  /// only if there is none, which is a mistake.
  std::shared_ptr<const StructMembers> members;
  /// The elements of a sequence by default: the values of simple members. Others keep their defaults.
  std::vector<std::vector<PropertySetting>> elements;
  Location where;
};

/// A <test> of a PRF: runTest() with the id and the input values returns the result values.
struct TestProperty {
  std::string id;
  std::string description;
  std::vector<SimpleProperty> inputs, results;
  Location where;
};

/// The properties of a PRF; empty if the component has none.
struct PropertyFile {
  std::vector<SimpleProperty> simple;
  std::vector<SimpleProperty> sequences;
  std::vector<StructProperty> structs;  ///< Structs and sequences of structs.
  std::vector<TestProperty> tests;

  /// The simple property with that id; null if there is none.
  const SimpleProperty* find(std::string_view id) const;
  const SimpleProperty* find_sequence(std::string_view id) const;
  const StructProperty* find_struct(std::string_view id) const;
  /// Whether there is a property of any form with that id.
  bool contains(std::string_view id) const { return find(id) || find_sequence(id) || find_struct(id); }
  /// The use of the property with that id; null if there is none.
  const PropertyUse* find_use(std::string_view id) const;
  /// Adds the properties of `other` whose ids are not here yet: the first file that has one takes precedence.
  void add(const PropertyFile& other);
  std::vector<std::string> ids() const;
};

/// The number that a text stands for: "-4", "0x1f", "1e3"; nullopt unless the whole text is one.
std::optional<double> number_of(std::string_view text);

/// The type's name in PRFs: "ulong", "float".
std::string_view type_name(PropertyType type);
/// The type with this name in PRFs; nullopt if there is none.
std::optional<PropertyType> type_of_name(std::string_view name);

}  // namespace orbweaver::sca
