#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sca/profile/profiles.h"

namespace orbweaver::sca {

/// What the values in an element are given to, which decides what may be set.
enum class SettingsFor {
  component,  ///< componentproperties: kinds configure, execparam, property
  device,     ///< The same of a DCD: also kind allocation
  factory,    ///< resourcefactoryproperties, componentfactoryproperties: kind factoryparam
  structure   ///< Any property of a structure or of an assembly controller: kinds are not checked.
};

/// The properties that the values in an element may be given to, by id. Those of a package include those of
/// its implementations. Points into them; must not outlive the Profiles that they belong to.
class SettableProperties {
 public:
  explicit SettableProperties(const PropertyFile& properties) { add(properties); }
  explicit SettableProperties(const SoftwarePackage& package);

  struct Form {
    const PropertyUse* use;
    const SimpleProperty* simple;  ///< Or a sequence; null: a struct or a sequence of structs.
    const StructProperty* structure;
  };
  /// Null if there is no such property.
  const Form* find(std::string_view id) const;
  const std::map<std::string, Form, std::less<>>& all() const { return forms_; }
  /// Adds a property, or replaces the one with that id.
  void set(const std::string& id, const Form& form) { forms_.insert_or_assign(id, form); }

 private:
  void add(const PropertyFile& properties);

  std::map<std::string, Form, std::less<>> forms_;
};

/// Checks the <simpleref>, <simplesequenceref>, <structref> and <structsequenceref> in `settings`: each names
/// a property, once, that has this form and can be set, and gives it a value that it can have. `subject` is
/// the owner of the properties, for messages: "component 'filter_1'". With SettingsFor::factory, a property
/// may also be one of `others`.
void check_settings(const Element& settings, const SettableProperties& properties, SettingsFor purpose,
                    const std::string& subject, Profiles& profiles,
                    const SettableProperties* others = nullptr);

/// Checks that `text`, in `at`, can be the value of the property, or one of its values. A number beyond the
/// range of float is a warning. `verb`: "cannot be the value of", for messages.
void check_property_value(const Element& at, const SimpleProperty& property, const std::string& text,
                          const char* verb, Profiles& profiles);

/// Reads and checks a <structvalue> or <structref>: values of the members of `property`.
std::vector<PropertySetting> read_struct_value(const Element& value, const StructProperty& property,
                                               Profiles& profiles);

}  // namespace orbweaver::sca
