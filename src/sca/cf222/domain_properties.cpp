#include "sca/cf222/domain_properties.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/printable.h"
#include "sca/cf222/given_limit.h"
#include "sca/files/file_name.h"
#include "sca/profile/profiles.h"
#include "sca/profile/xml.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

/// Limit of what a message contains of an id or a value.
constexpr std::size_t kMaxShownBytes = 256;

}  // namespace

DomainProperties::DomainProperties(std::vector<SimpleProperty> properties, std::string id,
                                   std::vector<DomainLogService> logs)
    : id_(std::move(id)), logs_(std::move(logs)) {
  for (SimpleProperty& property : properties) {
    if (!property.configurable || property.is_complex) continue;
    const std::string text = property.value.value_or("");
    const std::string name = property.id;
    values_.insert_or_assign(name, Value{std::move(property), text});
  }
}

void DomainProperties::configure(const CF::Properties& properties) {
  if (properties.size() > kMaxGiven)
    throw CF::PropertySet::InvalidConfiguration(std::to_string(properties.size()) +
                                                    " properties are given; the limit is " +
                                                    std::to_string(kMaxGiven),
                                                {});
  const std::lock_guard lock(mutex_);
  CF::Properties invalid;
  std::string message;
  std::vector<std::pair<std::string*, std::string>> accepted;
  for (const CF::DataType& each : properties) {
    const auto found = values_.find(each.id());
    auto text = text_of(each.value());
    std::string problem;
    if (found == values_.end()) {
      problem = "there is no property '" + printable(each.id(), kMaxShownBytes) + "'";
    } else if (found->second.property.read_only) {
      problem = "'" + each.id() + "' is readonly";
    } else if (!text) {
      problem = "the value of '" + each.id() + "' is of a type that no simple property has";
    } else if (const auto mistake = found->second.property.problem(*text)) {
      problem = "'" + each.id() + "' " + printable(*mistake, kMaxShownBytes);
    }
    if (problem.empty()) {
      accepted.emplace_back(&found->second.text, std::move(*text));
      continue;
    }
    if (message.empty()) message = problem;
    invalid.push_back(each);
  }
  if (!invalid.empty() && accepted.empty()) throw CF::PropertySet::InvalidConfiguration(message, invalid);
  for (auto& [value, text] : accepted) *value = std::move(text);
  if (!invalid.empty()) throw CF::PropertySet::PartialConfiguration(invalid);
}

void DomainProperties::query(CF::Properties& properties) const {
  const std::lock_guard lock(mutex_);
  if (properties.empty()) {
    for (const auto& [id, value] : values_) properties.emplace_back(id, CORBA::Any());
  }
  CF::Properties unknown;
  for (CF::DataType& each : properties) {
    const auto found = values_.find(each.id());
    if (found == values_.end()) {
      unknown.push_back(each);
      continue;
    }
    const SimpleProperty& property = found->second.property;
    try {
      each.value(any_of(std::string(type_name(property.type)), property.canonical(found->second.text)));
    } catch (const std::invalid_argument&) {  // no default
      each.value(CORBA::Any());
    }
  }
  if (!unknown.empty()) throw CF::UnknownProperties(unknown);
}

namespace {

/// The <service>s that are found as logs, or by their names in the naming service. One without a name is the
/// log of the domain manager itself.
std::vector<DomainLogService> logs_of(const Element& root) {
  std::vector<DomainLogService> logs;
  const auto services = root.find_child("services");
  if (!services) return logs;
  for (const Element& service : services->children("service")) {
    const auto found_by = service.find_child("findby");
    if (!found_by || logs.size() == kMaxDomainLogs) continue;
    DomainLogService log;
    if (const auto finder = found_by->find_child("domainfinder");
        finder && finder->attribute("type") == "log")
      log.service = finder->attribute("name");
    if (const auto naming = found_by->find_child("namingservice")) log.naming = naming->attribute("name");
    if (!log.service.empty() || !log.naming.empty()) logs.push_back(std::move(log));
  }
  return logs;
}

}  // namespace

Result<DomainProperties> read_domain_profile(const std::string& root, const std::string& name) {
  const FileName parsed = parse_file_name(name, FileNameRules::ascii);
  if (parsed.error != 0) return Error{ErrorKind::invalid, "--profile " + name + ": " + parsed.message};
  const std::string path = root + "/" + parsed.path;
  Findings findings;
  Profiles profiles(root, Profiles::CodeFiles::may_be_missing, findings, ProfileScope::root);
  const bool read = profiles.check(path, ProfileKind::domain_manager);
  if (!read || findings.mistakes() != 0)
    return Error{ErrorKind::invalid,
                 findings.mistakes() != 0 ? findings.first_mistake() : path + ": cannot be read"};
  std::string text;
  try {
    text = profiles.text(path);
  } catch (const ProfileError& error) {
    return error.error();
  }
  const XmlFile file(path, text);
  std::vector<SimpleProperty> properties;
  if (const auto manager = file.root().find_child("domainmanagersoftpkg")) {
    if (const auto local = manager->find_child("localfile")) {
      const std::string package = resolve_file(path, local->attribute("name"), root);
      if (const SoftwarePackage* const found = profiles.find_package(package))
        properties = found->properties.simple;
    }
  }
  return DomainProperties(std::move(properties), file.root().attribute("id"), logs_of(file.root()));
}

}  // namespace orbweaver::sca
