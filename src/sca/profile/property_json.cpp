#include "sca/profile/property_json.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace orbweaver::sca {
namespace {

using nlohmann::json;

bool is_text(const SimpleType& type) {
  return type.is_complex || type.name.empty() || type.name == "string" || type.name == "char" ||
         type.name == "objref" || type.name == "utctime";
}

json json_of(const SimpleType& type, const std::string& text) {
  if (is_text(type)) return text;
  json parsed = json::parse(text, nullptr, false);
  return parsed.is_number() || parsed.is_boolean() ? parsed : json(text);
}

json json_of(const SimpleType& type, const std::vector<std::string>& elements) {
  json all = json::array();
  for (const std::string& element : elements) all.push_back(json_of(type, element));
  return all;
}

json json_of(const std::vector<MemberType>& types, const PropertyValue::Members& members) {
  json all = json::object();
  for (const auto& [id, value] : members) {
    const auto found =
        std::find_if(types.begin(), types.end(), [&, &id = id](auto& each) { return each.id == id; });
    const SimpleType type = found != types.end() ? found->type : SimpleType();
    all[id] =
        value.form == PropertyForm::sequence ? json_of(type, value.elements) : json_of(type, value.text);
  }
  return all;
}

std::optional<std::string> simple_text(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  return std::nullopt;
}

Error invalid(const json& value) {
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return {ErrorKind::invalid,
          text +
              " is no value of a property: it can be a text, a number, true or false, an array of these, an "
              "object of these and of such arrays, or an array of such objects"};
}

Result<PropertyValue::Members> members_of(const json& object) {
  PropertyValue::Members members;
  for (const auto& [id, value] : object.items()) {
    if (value.is_object()) return invalid(value);
    auto member = value_of_json(value);
    if (!member) return member.take_error();
    if (member->form != PropertyForm::simple && member->form != PropertyForm::sequence) return invalid(value);
    members.emplace_back(id, std::move(*member));
  }
  return members;
}

}  // namespace

json json_of(const DeclaredType& type, const PropertyValue& value) {
  switch (value.form) {
    case PropertyForm::simple: return json_of(type.type, value.text);
    case PropertyForm::sequence: return json_of(type.type, value.elements);
    case PropertyForm::structure:
      return value.structs.empty() ? json::object() : json_of(type.members, value.structs.front());
    case PropertyForm::structure_sequence: break;
  }
  json all = json::array();
  for (const PropertyValue::Members& each : value.structs) all.push_back(json_of(type.members, each));
  return all;
}

std::string structured_text(const PropertyValue& value) {
  return json_of(DeclaredType(), value).dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<PropertyValue> value_of_json(const json& value) {
  if (auto text = simple_text(value)) return PropertyValue(std::move(*text));
  if (value.is_object()) {
    auto members = members_of(value);
    if (!members) return members.take_error();
    return PropertyValue::structure(std::move(*members));
  }
  if (!value.is_array()) return invalid(value);
  const bool has_structs = !value.empty() && value.front().is_object();
  std::vector<std::string> elements;
  std::vector<PropertyValue::Members> structs;
  for (const json& each : value) {
    if (has_structs && each.is_object()) {
      auto members = members_of(each);
      if (!members) return members.take_error();
      structs.push_back(std::move(*members));
    } else if (auto text = simple_text(each); text && !has_structs) {
      elements.push_back(std::move(*text));
    } else {
      return invalid(value);
    }
  }
  return has_structs ? PropertyValue::structure_sequence(std::move(structs))
                     : PropertyValue::sequence(std::move(elements));
}

Result<PropertyValue> value_of_text(const std::string& text) {
  const json value = json::parse(text, nullptr, false);
  if (!value.is_array() && !value.is_object()) return PropertyValue(text);
  return value_of_json(value);
}

}  // namespace orbweaver::sca
