#include "sca/profile/settings.h"

#include <set>

#include "sca/profile/assembly.h"
#include "sca/profile/log_level.h"
#include "sca/profile/profile_readers.h"
#include "sca/profile/similar_name.h"

namespace orbweaver::sca {
namespace {

void check_values(const Element& reference, const SimpleProperty& property, Profiles& profiles) {
  const auto values = reference.find_child("values");
  if (!values) return;
  for (const Element& value : values->children("value"))
    check_property_value(value, property, value.text(), "cannot be a value of", profiles);
}

void check_value(const Element& reference, const SimpleProperty& property, Profiles& profiles) {
  const auto value = reference.find_attribute("value");
  if (!value) return;
  if (!property.is_none(*value))
    return check_property_value(reference, property, *value, "cannot be the value of", profiles);
  // A property of REDHAWK that is optional may be given no value.
  if (!property.is_optional)
    profiles.warn(reference.where(), "the value is empty, so that '" + property.id + "' is given none",
                  "write its value, or remove this");
}

std::string known_ids(std::string_view id, const std::vector<std::string>& ids, const char* none) {
  if (ids.empty()) return none;
  const std::vector<std::string_view> names(ids.begin(), ids.end());
  const std::string_view similar = similar_name(id, names);
  return (similar.empty() ? "" : "did you mean '" + std::string(similar) + "'? ") + "it has " + some_of(ids);
}

/// Where a property of kind factoryparam is set that `reference`, in <componentproperties>, names.
std::string advice_for_factory_param(const Element& reference) {
  const pugi::xml_node instantiation = reference.node().parent().parent();
  return std::string("set a property of kind factoryparam in ") + (instantiation.child("componentfactoryref")
                                                                       ? "<componentfactoryproperties>"
                                                                       : "<resourcefactoryproperties>");
}

/// Checks the values in one element.
class SettingsChecker {
 public:
  SettingsChecker(const SettableProperties& properties, const SettableProperties* others, SettingsFor purpose,
                  const std::string& subject, Profiles& profiles)
      : properties_(properties), others_(others), purpose_(purpose), subject_(subject), profiles_(profiles) {}

  void check(const Element& reference) {
    const auto id = reference.find_attribute("refid");
    if (!id) return;
    if (id->empty()) {
      profiles_.mistake(reference.where(), "the attribute 'refid' is empty", "give it a value");
      return;
    }
    if (!set_.insert(*id).second) {
      profiles_.mistake(reference.where(), "property '" + *id + "' is set twice", "remove one of them");
      return;
    }
    const auto* form = properties_.find(*id);
    if (others_ != nullptr && (form == nullptr || !is_allowed(*form->use))) form = others_->find(*id);
    if (purpose_ == SettingsFor::factory && is_framework_qualifier(*id)) {
      profiles_.mistake(reference.where(), "'" + *id + "' is set by the framework", "remove it");
    } else if (form != nullptr) {
      check_use(reference, *id, *form->use);
      check_form(reference, *id, *form);
    } else if (purpose_ == SettingsFor::factory || *id != kDirectInputs) {
      const bool is_logging = *id == "LOGGING_CONFIG_URI" || is_log_level(*id);
      if (!is_logging || purpose_ == SettingsFor::factory) return unknown(reference, *id);
      if (is_log_level(*id) && purpose_ == SettingsFor::component) return check_log_level(reference);
      profiles_.warn(reference.where(), *id + " of REDHAWK has no effect",
                     "components here log to standard error, at the level of ORBWEAVER_LOG");
    }
  }

 private:
  void check_log_level(const Element& reference) {
    const std::string level = reference.attribute("value");
    if (!log_level_of(level))
      profiles_.warn(reference.where(), "'" + level + "' is no level of a log",
                     "it can be FATAL, ERROR, WARN, INFO, DEBUG or TRACE, or a number from 0 to 5");
  }

  void unknown(const Element& reference, const std::string& id) {
    if (!profiles_.findings().stores(reference.file().path()))
      return profiles_.findings().undefined_property(reference.where(), "", {});
    std::vector<std::string> ids;
    for (const auto& [known, form] : properties_.all()) {
      if (is_allowed(*form.use)) ids.emplace_back(known);
    }
    const std::string what = purpose_ == SettingsFor::factory
                                 ? "there is no property '" + id + "' of kind factoryparam"
                                 : subject_ + " has no property '" + id + "'";
    const std::string advice = purpose_ == SettingsFor::factory ? "declare it in the PRF of " + subject_
                                                                : known_ids(id, ids, "it has none");
    profiles_.findings().undefined_property(reference.where(), what, advice);
  }

  bool is_allowed(const PropertyUse& use) const {
    switch (purpose_) {
      case SettingsFor::component: return use.can_be_set() || use.set_initially;
      case SettingsFor::device: return use.can_be_set() || use.set_initially || use.allocation;
      case SettingsFor::factory: return use.factory_param;
      case SettingsFor::structure: return true;
    }
    return true;
  }

  void check_use(const Element& reference, const std::string& id, const PropertyUse& use) {
    if (is_allowed(use)) return;
    if (purpose_ == SettingsFor::factory) return unknown(reference, id);
    profiles_.mistake(reference.where(),
                      use.configurable
                          ? "property '" + id + "' is readonly, and of kind configure: it can only be queried"
                          : "property '" + id + "' cannot be set: its kind is not execparam or configure",
                      use.factory_param ? advice_for_factory_param(reference)
                                        : "correct its mode and kind in the PRF, or remove this");
  }

  void check_form(const Element& reference, const std::string& id, const SettableProperties::Form& form) {
    const std::string_view name = reference.name();
    const char* expected = "simpleref";
    if (form.structure != nullptr) {
      expected = form.structure->is_sequence ? "structsequenceref" : "structref";
    } else if (form.simple->is_sequence) {
      expected = "simplesequenceref";
    }
    if (name != expected) {
      profiles_.mistake(reference.where(),
                        "<" + std::string(name) + "> for property '" + id + "', which has another form",
                        std::string("use <") + expected + ">");
    } else if (name == "simpleref") {
      check_value(reference, *form.simple, profiles_);
    } else if (name == "simplesequenceref") {
      check_values(reference, *form.simple, profiles_);
    } else if (name == "structref") {
      read_struct_value(reference, *form.structure, profiles_);
    } else {
      for (const Element& value : reference.children("structvalue"))
        read_struct_value(value, *form.structure, profiles_);
    }
  }

  const SettableProperties& properties_;
  const SettableProperties* const others_;
  const SettingsFor purpose_;
  const std::string& subject_;
  Profiles& profiles_;
  std::set<std::string> set_;
};

}  // namespace

void check_property_value(const Element& at, const SimpleProperty& property, const std::string& text,
                          const char* verb, Profiles& profiles) {
  if (property.is_beyond_float(text))
    profiles.warn(at.where(), "'" + text + "' is beyond the range of float",
                  "'" + property.id + "' gets " + property.canonical(text));
  else if (const auto problem = property.problem(text))
    profiles.mistake(at.where(), "'" + text + "' " + verb + " '" + property.id + "'", "it " + *problem);
}

std::vector<PropertySetting> read_struct_value(const Element& value, const StructProperty& property,
                                               Profiles& profiles) {
  std::set<std::string> set;
  std::vector<PropertySetting> settings;
  if (!property.members) return settings;
  for (const Element& reference : value.children()) {
    const auto id = reference.find_attribute("refid");
    const bool is_sequence = reference.name() == "simplesequenceref";
    if (!id || (!is_sequence && reference.name() != "simpleref")) continue;
    const SimpleProperty* const member = property.members->find(*id);
    if (member == nullptr) {
      std::vector<std::string> ids;
      if (profiles.findings().stores(reference.file().path())) {
        for (const SimpleProperty& each : property.members->list) ids.push_back(each.id);
      }
      profiles.findings().undefined_property(reference.where(),
                                             "struct '" + property.id + "' has no member '" + *id + "'",
                                             known_ids(*id, ids, "it has none"));
    } else if (!set.insert(*id).second) {
      profiles.mistake(reference.where(), "member '" + *id + "' is set twice", "remove one of them");
    } else if (member->is_sequence != is_sequence) {
      profiles.mistake(
          reference.where(),
          "<" + std::string(reference.name()) + "> for member '" + *id + "', which has another form",
          is_sequence ? "use <simpleref>" : "use <simplesequenceref>");
    } else if (is_sequence) {
      check_values(reference, *member, profiles);
      PropertySetting setting{*id, {}, reference.where()};
      if (const auto values = reference.find_child("values"))
        for (const Element& each : values->children("value")) setting.values.push_back(each.text());
      settings.push_back(std::move(setting));
    } else {
      check_value(reference, *member, profiles);
      settings.push_back({*id, reference.attribute("value"), reference.where()});
    }
  }
  return settings;
}

SettableProperties::SettableProperties(const SoftwarePackage& package)
    : SettableProperties(package.properties) {
  std::set<const PropertyFile*> added;  // many implementations may share a file
  for (const Implementation& implementation : package.implementations)
    if (implementation.properties && added.insert(implementation.properties.get()).second)
      add(*implementation.properties);
}

void SettableProperties::add(const PropertyFile& properties) {
  for (const auto& each : properties.simple) forms_.emplace(each.id, Form{&each, &each, nullptr});
  for (const auto& each : properties.sequences) forms_.emplace(each.id, Form{&each, &each, nullptr});
  for (const auto& each : properties.structs) forms_.emplace(each.id, Form{&each, nullptr, &each});
}

const SettableProperties::Form* SettableProperties::find(std::string_view id) const {
  const auto found = forms_.find(id);
  return found == forms_.end() ? nullptr : &found->second;
}

void check_settings(const Element& settings, const SettableProperties& properties, SettingsFor purpose,
                    const std::string& subject, Profiles& profiles, const SettableProperties* others) {
  SettingsChecker checker(properties, others, purpose, subject, profiles);
  for (const Element& reference : settings.children()) checker.check(reference);
}

}  // namespace orbweaver::sca
