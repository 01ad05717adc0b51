#include "sca/cf222/application_properties.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/printable.h"
#include "sca/cf222/domain.h"
#include "sca/cf222/given_limit.h"
#include "sca/deployment/property_access.h"

namespace orbweaver::sca {
namespace {

using CF::PropertySet;

const DeployedComponent* find_component(const Application& record, const std::string& id) {
  const auto found = std::find_if(record.components.begin(), record.components.end(),
                                  [&](const DeployedComponent& component) { return component.id == id; });
  return found == record.components.end() ? nullptr : &*found;
}

const ExternalProperty* find_external(const Application& record, const std::string& id) {
  const auto& list = record.external_properties;
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const ExternalProperty& each) { return each.id == id; });
  return found == list.end() ? nullptr : &*found;
}

void append(CF::Properties& to, const CF::Properties& from) { to.insert(to.end(), from.begin(), from.end()); }

/// Raises IMP_LIMIT for more properties than kMaxGiven. `of`: "are given", "are those of component 'a'".
void check_number(const CF::Properties& properties, const std::string& of) {
  if (properties.size() <= kMaxGiven) return;
  throw CORBA::IMP_LIMIT(0, CORBA::CompletionStatus::COMPLETED_NO,
                         std::to_string(properties.size()) + " properties " + of + "; the limit is " +
                             std::to_string(kMaxGiven));
}

/// The values that were not set, and why.
struct Failures {
  CF::Properties invalid;
  std::string reasons;
  bool has_set_some = false;

  void add(const CF::Properties& properties, const std::string& reason) {
    append(invalid, properties);
    if (!reason.empty()) reasons += (reasons.empty() ? "" : "; ") + reason;
  }
};

}  // namespace

/// The properties that belong to one component, under its ids.
struct ApplicationProperties::Part {
  std::string component;
  CF::Properties properties;
  std::map<std::string, std::string> ids;  ///< Those of the caller, by the component's.

  /// The caller's names of some of them.
  CF::Properties renamed(CF::Properties some) const {
    for (CF::DataType& each : some)
      if (const auto found = ids.find(each.id()); found != ids.end()) each.id(found->second);
    return some;
  }
};

ComponentObject component_of(const Domain& domain, const Application& application, const std::string& id) {
  if (const DeployedComponent* const found = find_component(application, id)) {
    const auto object = found->is_sca41
                            ? ComponentObject::sca41(domain.object<CORBA::Object>(found->reference))
                            : ComponentObject(domain.object<CF::Resource>(found->reference));
    if (object) return object;
  }
  if (!application.failure.empty()) {
    throw CORBA::TRANSIENT(0, CORBA::CompletionStatus::COMPLETED_NO,
                           "the application has failed: " + application.failure);
  }
  throw CORBA::TRANSIENT(0, CORBA::CompletionStatus::COMPLETED_NO,
                         "component '" + id + "' of application '" + application.name + "' is not known");
}

std::vector<ApplicationProperties::Part> ApplicationProperties::parts_of(
    const CF::Properties& properties) const {
  std::vector<Part> parts;
  for (const CF::DataType& each : properties) {
    const ExternalProperty* const external = find_external(application_, each.id());
    const std::string& component = external != nullptr ? external->component : application_.controller;
    auto part = std::find_if(parts.begin(), parts.end(),
                             [&](const Part& other) { return other.component == component; });
    if (part == parts.end()) part = parts.insert(parts.end(), Part{component, {}, {}});
    const std::string& id = external != nullptr ? external->property : each.id();
    part->properties.emplace_back(id, each.value());
    part->ids[id] = each.id();
  }
  return parts;
}

PropertyFile ApplicationProperties::rules_of(const std::string& component) const {
  const DeployedComponent* const found = find_component(application_, component);
  return found == nullptr ? PropertyFile() : domain_.applications().properties(application_, *found);
}

void ApplicationProperties::configure(const CF::Properties& given) const {
  check_number(given, "are given");
  Failures failures;
  std::vector<Part> parts = parts_of(given);
  for (Part& part : parts) {
    CheckedValues checked = check_values(rules_of(part.component), part.properties);
    failures.add(part.renamed(checked.invalid), checked.reasons);
    part.properties = std::move(checked.values);
  }
  if (!failures.invalid.empty()) throw PropertySet::InvalidConfiguration(failures.reasons, failures.invalid);
  for (const Part& part : parts) {
    try {
      component_of(domain_, application_, part.component).configure(part.properties);
      failures.has_set_some = true;
    } catch (const PropertySet::InvalidConfiguration& e) {
      // The component has set none of them.
      failures.add(part.renamed(e.invalidProperties().empty() ? part.properties : e.invalidProperties()),
                   e.msg());
    } catch (const PropertySet::PartialConfiguration& e) {
      failures.has_set_some = failures.has_set_some || e.invalidProperties().size() < part.properties.size();
      failures.add(part.renamed(e.invalidProperties()), "");
    }
  }
  if (failures.invalid.empty()) return;
  if (!failures.has_set_some) throw PropertySet::InvalidConfiguration(failures.reasons, failures.invalid);
  // PartialConfiguration has no message.
  std::string ids;
  for (const CF::DataType& each : failures.invalid) ids += (ids.empty() ? "" : ", ") + each.id();
  domain_.report("application '" + application_.name + "': some properties have been set, and these not: " +
                 printable(ids) + (failures.reasons.empty() ? "" : ": " + printable(failures.reasons)));
  throw PropertySet::PartialConfiguration(failures.invalid);
}

void ApplicationProperties::query(CF::Properties& properties) const {
  if (properties.empty()) return query_all(properties);
  check_number(properties, "are given");
  CF::Properties unknown;
  std::map<std::string, CORBA::Any> values;
  for (Part& part : parts_of(properties)) {
    const PropertyFile rules = rules_of(part.component);
    const auto is_hidden = [&](const CF::DataType& each) { return is_write_only(rules, each.id()); };
    CF::Properties hidden;
    std::copy_if(part.properties.begin(), part.properties.end(), std::back_inserter(hidden), is_hidden);
    append(unknown, part.renamed(hidden));
    std::erase_if(part.properties, is_hidden);
    if (part.properties.empty()) continue;
    try {
      component_of(domain_, application_, part.component).query(part.properties);
      for (const CF::DataType& each : part.renamed(part.properties)) values[each.id()] = each.value();
    } catch (const CF::UnknownProperties& e) {
      append(unknown, part.renamed(e.invalidProperties()));
    }
  }
  if (!unknown.empty()) throw CF::UnknownProperties(unknown);
  for (CF::DataType& each : properties)
    if (const auto found = values.find(each.id()); found != values.end()) each.value(found->second);
}

void ApplicationProperties::query_all(CF::Properties& properties) const {
  component_of(domain_, application_, application_.controller).query(properties);
  check_number(properties, "are those of component '" + application_.controller + "'");
  const PropertyFile rules = rules_of(application_.controller);
  std::erase_if(properties, [&](const CF::DataType& each) { return is_write_only(rules, each.id()); });
  for (const ExternalProperty& external : application_.external_properties) {
    std::erase_if(properties, [&](const CF::DataType& each) { return each.id() == external.id; });
    if (is_write_only(rules_of(external.component), external.property)) continue;
    CF::Properties one{CF::DataType(external.property, CORBA::Any())};
    component_of(domain_, application_, external.component).query(one);
    for (const CF::DataType& each : one) properties.emplace_back(external.id, each.value());
  }
}

}  // namespace orbweaver::sca
