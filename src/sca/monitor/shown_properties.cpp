#include "sca/monitor/shown_properties.h"

#include <stdexcept>

#include "sca/deployment/property_access.h"
#include "sca/profile/property_json.h"
#include "sca/profile/property_values.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

std::string type_text(const DeclaredType& type) {
  const std::string simple = (type.type.is_complex ? "complex " : "") + type.type.name;
  switch (type.form) {
    case PropertyForm::simple: return simple;
    case PropertyForm::sequence: return "sequence of " + simple;
    case PropertyForm::structure: return "struct";
    case PropertyForm::structure_sequence: break;
  }
  return "sequence of structs";
}

/// What a PRF says of a property of any form.
template <class Property>
void describe(const Property& rules, monitor::Property& shown) {
  const DeclaredType type = declared_type(rules);
  shown.type = type_text(type);
  shown.structured = type.form != PropertyForm::simple;
  shown.name = rules.name;
  shown.description = rules.description;
  shown.writable = rules.configurable && !rules.read_only;
}

void describe(const PropertyFile& rules, monitor::Property& shown) {
  const SimpleProperty* simple = rules.find(shown.id);
  if (simple == nullptr) simple = rules.find_sequence(shown.id);
  if (simple == nullptr) {
    if (const auto* structure = rules.find_struct(shown.id)) describe(*structure, shown);
    return;
  }
  describe(*simple, shown);
  shown.units = simple->units;
  shown.min = simple->min;
  shown.max = simple->max;
  for (std::size_t i = 0; i < simple->choices.size(); ++i) {
    const bool has_label = i < simple->labels.size() && !simple->labels[i].empty();
    shown.choices.emplace_back(simple->choices[i], has_label ? simple->labels[i] : simple->choices[i]);
  }
}

PropertyForm form_of(const PropertyFile& rules, const std::string& id) {
  if (rules.find(id) != nullptr) return PropertyForm::simple;
  if (rules.find_sequence(id) != nullptr) return PropertyForm::sequence;
  return rules.find_struct(id)->is_sequence ? PropertyForm::structure_sequence : PropertyForm::structure;
}

}  // namespace

monitor::Property read_property(const PropertyFile& rules, const std::string& id, const CORBA::Any& value) {
  monitor::Property shown;
  shown.id = id;
  const auto type = declared_type_of(value);
  const auto read = value_of(value);
  if (type && read) {
    shown.type = type_text(*type);
    shown.structured = type->form != PropertyForm::simple;
    shown.value = shown.structured
                      ? json_of(*type, *read).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
                      : read->text;
    shown.writable = true;
  } else {
    shown.type = "unknown";
  }
  describe(rules, shown);
  return shown;
}

void add_write_only(const PropertyFile& rules, std::vector<monitor::Property>& properties) {
  const auto add = [&](const auto& list) {
    for (const auto& each : list) {
      if (!each.write_only || !each.configurable) continue;
      monitor::Property shown;
      shown.id = each.id;
      describe(rules, shown);
      properties.push_back(std::move(shown));
    }
  };
  add(rules.simple);
  add(rules.sequences);
  add(rules.structs);
}

PropertyValue value_of_form(PropertyForm form, const std::string& text) {
  if (form == PropertyForm::simple) return text;
  auto value = value_of_text(text);
  if (!value) throw std::invalid_argument(value.error().message);
  if (form == PropertyForm::structure_sequence && value->form == PropertyForm::sequence &&
      value->elements.empty())
    value->form = form;
  return std::move(*value);
}

CORBA::Any given_value(const PropertyFile& rules, const std::string& id, const std::string& text) {
  try {
    return permitted_value(rules, id, value_of_form(form_of(rules, id), text));
  } catch (const std::invalid_argument& e) {
    throw std::invalid_argument("property '" + id + "' " + e.what() + " (given: '" + text.substr(0, 60) +
                                "')");
  }
}

}  // namespace orbweaver::sca
