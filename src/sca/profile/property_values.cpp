#include "sca/profile/property_values.h"

#include <algorithm>
#include <utility>

namespace orbweaver::sca {
namespace {

const PropertySetting* find(const std::vector<PropertySetting>& settings, const std::string& id) {
  const auto found =
      std::find_if(settings.begin(), settings.end(), [&](auto& each) { return each.id == id; });
  return found == settings.end() ? nullptr : &*found;
}

PropertyValue::Members members_of(const StructMembers& members,
                                  const std::vector<PropertySetting>& settings) {
  PropertyValue::Members values;
  for (const SimpleProperty& member : members.list) {
    if (auto value = configured_value(member, settings)) values.emplace_back(member.id, std::move(*value));
  }
  return values;
}

const char* form_text(PropertyForm form) {
  switch (form) {
    case PropertyForm::simple: return "must be a simple value";
    case PropertyForm::sequence: return "must be a sequence of simple values";
    case PropertyForm::structure: return "must be a struct";
    case PropertyForm::structure_sequence: break;
  }
  return "must be a sequence of structs";
}

std::optional<std::string> problem_of_members(const StructMembers& members,
                                              const PropertyValue::Members& values) {
  for (const auto& [id, value] : values) {
    const SimpleProperty* const member = members.find(id);
    if (member == nullptr) return "has no member '" + id + "'";
    if (const auto problem = problem_of(*member, value))
      return "has a member '" + id + "', which " + *problem;
  }
  return std::nullopt;
}

}  // namespace

DeclaredType declared_type(const SimpleProperty& property) {
  return {property.is_sequence ? PropertyForm::sequence : PropertyForm::simple,
          {std::string(type_name(property.type)), property.is_complex},
          {}};
}

DeclaredType declared_type(const StructProperty& property) {
  DeclaredType type;
  type.form = property.is_sequence ? PropertyForm::structure_sequence : PropertyForm::structure;
  if (!property.members) return type;
  for (const SimpleProperty& member : property.members->list)
    type.members.push_back(
        {member.id, {std::string(type_name(member.type)), member.is_complex}, member.is_sequence});
  return type;
}

std::optional<PropertyValue> configured_value(const SimpleProperty& property,
                                              const std::vector<PropertySetting>& settings) {
  const PropertySetting* const setting = find(settings, property.id);
  if (property.is_sequence) {
    const auto& values = setting != nullptr ? setting->values : property.values;
    if (values.empty() && setting == nullptr) return std::nullopt;
    return canonical(property, PropertyValue::sequence(values));
  }
  const std::optional<std::string> text = setting != nullptr ? setting->value : property.value;
  if (!text || property.is_none(*text)) return std::nullopt;
  return property.canonical(*text);
}

std::optional<PropertyValue> configured_value(const StructProperty& property,
                                              const std::vector<PropertySetting>& settings) {
  if (!property.members) return std::nullopt;
  const PropertySetting* const setting = find(settings, property.id);
  if (!property.is_sequence) {
    const bool is_set = setting != nullptr && !setting->structs.empty();
    auto members =
        members_of(*property.members, is_set ? setting->structs.front() : std::vector<PropertySetting>());
    if (members.empty()) return std::nullopt;
    return PropertyValue::structure(std::move(members));
  }
  const auto& elements = setting != nullptr ? setting->structs : property.elements;
  if (elements.empty() && setting == nullptr) return std::nullopt;
  std::vector<PropertyValue::Members> structs;
  for (const auto& element : elements) structs.push_back(members_of(*property.members, element));
  return PropertyValue::structure_sequence(std::move(structs));
}

std::optional<std::string> problem_of(const SimpleProperty& property, const PropertyValue& value) {
  const PropertyForm form = property.is_sequence ? PropertyForm::sequence : PropertyForm::simple;
  if (value.form != form) return form_text(form);
  if (!property.is_sequence) return property.problem(value.text);
  for (const std::string& element : value.elements) {
    if (auto problem = property.problem(element))
      return "has an element '" + element + "', which " + *problem;
  }
  return std::nullopt;
}

std::optional<std::string> problem_of(const StructProperty& property, const PropertyValue& value) {
  const PropertyForm form = property.is_sequence ? PropertyForm::structure_sequence : PropertyForm::structure;
  // A list without elements is a sequence of any form.
  if (property.is_sequence && value.form == PropertyForm::sequence && value.elements.empty())
    return std::nullopt;
  if (value.form != form) return form_text(form);
  if (!property.members) return std::nullopt;
  for (const PropertyValue::Members& members : value.structs) {
    if (auto problem = problem_of_members(*property.members, members)) return problem;
  }
  return std::nullopt;
}

PropertyValue canonical(const SimpleProperty& property, PropertyValue value) {
  value.text = property.is_sequence ? "" : property.canonical(value.text);
  for (std::string& element : value.elements) element = property.canonical(element);
  return value;
}

PropertyValue canonical(const StructProperty& property, PropertyValue value) {
  if (property.is_sequence) value.form = PropertyForm::structure_sequence;
  if (!property.members) return value;
  for (PropertyValue::Members& members : value.structs) {
    for (auto& [id, each] : members) {
      if (const SimpleProperty* const member = property.members->find(id))
        each = canonical(*member, std::move(each));
    }
  }
  return value;
}

}  // namespace orbweaver::sca
