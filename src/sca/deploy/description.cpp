#include "sca/deploy/description.h"

#include <algorithm>
#include <optional>

#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

std::string ports_of(const Description& description, bool provides) {
  std::vector<std::string> names;
  for (const auto& port : description.ports) {
    if (port.provides == provides) names.push_back(port.name);
  }
  const std::string what = provides ? "inputs" : "outputs";
  return names.empty() ? "the class has no " + what : "the class has the " + what + " " + one_of(names);
}

void check_port(const Assembly& assembly, std::size_t component, const Description& description,
                const PortDeclaration& declared, bool provides) {
  const auto& scd = assembly.package_of(component).component;
  const std::string subject = "component '" + assembly.components[component].id + "'";
  const auto found = std::find_if(description.ports.begin(), description.ports.end(),
                                  [&](auto& port) { return port.name == declared.name; });
  if (found == description.ports.end()) {
    throw ProfileError(declared.where,
                       subject + " has no port '" + declared.name + "', though its SCD declares it here",
                       ports_of(description, provides) + ": correct one of the two");
  }
  if (found->provides != provides) {
    throw ProfileError(declared.where,
                       "port '" + declared.name + "' of " + subject + " is a" +
                           (provides ? "n output in its class, and a provides port here"
                                     : "n input in its class, and a uses port here"),
                       "correct one of the two");
  }
  // A provided interface may derive from the declared one; a called interface may be a base of the declared
  // one.
  const bool fits =
      provides ? scd.is_a(found->repid, declared.repid) : scd.is_a(declared.repid, found->repid);
  if (!fits) {
    throw ProfileError(declared.where,
                       "port '" + declared.name + "' of " + subject + " is " + found->repid +
                           " in its class, and its SCD says " + declared.repid,
                       "correct the repid here, or the type of the port in the class");
  }
}

/// Whether the framework gives the property to components (SCA 2.2.2, 3.1.3.3.3.2.5, and 4.1): a PRF may
/// declare it, and no class needs it.
bool is_set_by_framework(const std::string& id) {
  return is_framework_qualifier(id) || id == "NAMING_CONTEXT_IOR" || id == "NAME_BINDING" ||
         id == "COMPONENT_IDENTIFIER" || id == "COMPONENT_REGISTRY_IOR";
}

const char* text_of(PropertyForm form) {
  switch (form) {
    case PropertyForm::simple: return "simple";
    case PropertyForm::sequence: return "simplesequence";
    case PropertyForm::structure: return "struct";
    case PropertyForm::structure_sequence: break;
  }
  return "structsequence";
}

/// The property of the class; null if there is none. A property that configure(), query() or the command line
/// names must exist (SCA 2.2.2: InvalidConfiguration, UnknownProperties).
const Description::Property* find_property(const Description& description, const std::string& subject,
                                           const std::string& id, const PropertyUse& use,
                                           const Location& where) {
  const auto found = std::find_if(description.properties.begin(), description.properties.end(),
                                  [&](auto& property) { return property.id == id; });
  if (found != description.properties.end()) return &*found;
  if ((!use.exec_param && !use.configurable) || is_set_by_framework(id)) return nullptr;
  std::vector<std::string> ids;
  for (const auto& property : description.properties) ids.push_back(property.id);
  throw ProfileError(
      where, subject + " has no property '" + id + "', though its PRF declares it here",
      (ids.empty() ? "the class has no properties" : "the class has the properties " + one_of(ids)) +
          ": correct one of the two");
}

void check_form(const std::string& subject, PropertyForm declared, const Description::Property& found,
                const PropertyUse& use, const Location& where) {
  const std::string text = "property '" + found.id + "' of " + subject;
  if (found.type.form != declared) {
    throw ProfileError(where,
                       text + " is a <" + text_of(declared) + "> here, and of the form <" +
                           text_of(found.type.form) + "> in its class",
                       "correct one of the two");
  }
  const bool is_read = found.mode != PropertyMode::writeonly, is_set = found.mode != PropertyMode::readonly;
  if (use.configurable && ((!use.read_only && !is_set) || (!use.write_only && !is_read))) {
    throw ProfileError(
        where, text + " is " + (is_set ? "writeonly" : "readonly") + " in its class, and not here",
        std::string("give it the mode ") + (is_set ? "writeonly" : "readonly") + ", or correct its class");
  }
}

void check_type(const std::string& text, const SimpleProperty& declared, const SimpleType& type) {
  std::optional<std::string> mismatch = declared.mismatch(type.name);
  if (!mismatch && declared.is_complex != type.is_complex)
    mismatch = std::string(type.is_complex ? "complex" : "not complex") + " in its class";
  if (mismatch)
    throw ProfileError(declared.where,
                       text + " is " + (declared.is_complex ? "complex " : "") +
                           std::string(type_name(declared.type)) + " here, and " + *mismatch,
                       "correct the type here, or in the class");
}

void check_property(const Assembly& assembly, std::size_t component, const Description& description,
                    const SimpleProperty& declared) {
  const std::string subject = "component '" + assembly.components[component].id + "'";
  const auto* const found = find_property(description, subject, declared.id, declared, declared.where);
  if (found == nullptr) return;
  check_form(subject, declared.is_sequence ? PropertyForm::sequence : PropertyForm::simple, *found, declared,
             declared.where);
  check_type("property '" + declared.id + "' of " + subject, declared, found->type.type);
}

void check_property(const Assembly& assembly, std::size_t component, const Description& description,
                    const StructProperty& declared) {
  const std::string subject = "component '" + assembly.components[component].id + "'";
  const auto* const found = find_property(description, subject, declared.id, declared, declared.where);
  if (found == nullptr) return;
  check_form(subject, declared.is_sequence ? PropertyForm::structure_sequence : PropertyForm::structure,
             *found, declared, declared.where);
  if (!declared.members) return;
  for (const SimpleProperty& member : declared.members->list) {
    const std::string text = "member '" + member.id + "' of property '" + declared.id + "' of " + subject;
    const auto type = std::find_if(found->type.members.begin(), found->type.members.end(),
                                   [&](const MemberType& each) { return each.id == member.id; });
    if (type == found->type.members.end())
      throw ProfileError(member.where, text + " does not exist in its class", "correct one of the two");
    if (type->is_sequence != member.is_sequence)
      throw ProfileError(member.where,
                         text + (member.is_sequence ? " is a sequence here, and simple in its class"
                                                    : " is simple here, and a sequence in its class"),
                         "correct one of the two");
    check_type(text, member, type->type);
  }
}

}  // namespace

Result<void> check_description(const Assembly& assembly, std::size_t component,
                               const Description& description) {
  const SoftwarePackage& package = assembly.package_of(component);
  try {
    for (const auto& port : package.component.provides)
      check_port(assembly, component, description, port, true);
    for (const auto& port : package.component.uses) check_port(assembly, component, description, port, false);
    const auto check = [&](const auto& list) {
      for (const auto& property : list) check_property(assembly, component, description, property);
    };
    check(package.properties.simple);
    check(package.properties.sequences);
    check(package.properties.structs);
  } catch (const ProfileError& error) {
    return error.error();
  }
  return {};
}

}  // namespace orbweaver::sca
