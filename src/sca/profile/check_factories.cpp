#include <algorithm>
#include <set>

#include "sca/profile/check.h"
#include "sca/profile/edition.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

bool has_code(const SoftwarePackage& package, CodeType type) {
  const auto& all = package.implementations;
  return all.empty() ||
         std::any_of(all.begin(), all.end(), [&](const Implementation& each) { return each.code == type; });
}

/// A factory is a program; one that loads libraries needs those of its components.
void check_code(const Assembly& assembly) {
  for (std::size_t f = 0; f < assembly.factories.size(); ++f) {
    const SoftwarePackage& package = assembly.package_of_factory(f);
    if (has_code(package, CodeType::executable)) continue;
    throw ProfileError(assembly.factories[f].where,
                       "'" + assembly.factories[f].id + "' is a " + factory_kind(package.component) +
                           ", which is a program, but " + package.file + " has none",
                       "add an <implementation> with code of type Executable");
  }
  for (std::size_t i = 0; i < assembly.components.size(); ++i) {
    const Instantiation& component = assembly.components[i];
    if (!component.factory || !assembly.loads_libraries(component.factory->factory) ||
        has_code(assembly.package_of(i), CodeType::shared_library))
      continue;
    const ComponentDescriptor& factory = assembly.package_of_factory(component.factory->factory).component;
    throw ProfileError(component.where,
                       "'" + component.id + "' is created by " + factory_kind(factory) + " '" +
                           component.factory->id + "', which loads libraries, but " +
                           assembly.package_of(i).file + " has no SharedLibrary",
                       "add an <implementation> with code of type SharedLibrary");
  }
}

/// A factory has no PropertySet: only properties of kind execparam reach it when it is started.
void check_factory(const Instantiation& factory, const SoftwarePackage& package) {
  if (!factory.direct_inputs.empty()) {
    throw ProfileError(
        factory.direct_inputs_where,
        "'" + factory.id + "' is a " + factory_kind(package.component) + ", which has no ports",
        "remove " + std::string(kDirectInputs));
  }
  for (const PropertySetting& setting : factory.settings) {
    const auto& property = check_setting(factory, package, setting.id, setting.value, setting.where);
    if (!property.exec_param) {
      throw ProfileError(setting.where,
                         "property '" + setting.id + "' cannot be set: '" + factory.id + "' is a " +
                             factory_kind(package.component) + ", which is not configured",
                         "make it of kind execparam: see " + property.where.text());
    }
  }
}

const PropertyUse* find_factory_param(const SoftwarePackage& package, const std::string& id) {
  const PropertyUse* const property = package.properties.find_use(id);
  return property != nullptr && property->factory_param ? property : nullptr;
}

}  // namespace

bool is_framework_qualifier(std::string_view id) {
  return id == kComponentLibrary || id == kComponentEntryPoint || id == kStreamsExpected ||
         id == kDirectInputs;
}

const PropertyUse* find_qualifier(const Assembly& assembly, std::size_t component, const std::string& id) {
  const FactoryReference& reference = *assembly.components[component].factory;
  const auto* property = find_factory_param(assembly.package_of_factory(reference.factory), id);
  return property != nullptr ? property : find_factory_param(assembly.package_of(component), id);
}

bool Assembly::loads_libraries(std::size_t factory) const {
  return find_factory_param(package_of_factory(factory), std::string(kComponentLibrary)) != nullptr;
}

void check_factories(Assembly& assembly) {
  check_code(assembly);
  const auto warn = [&](const Location& where, const std::string& text) {
    assembly.warnings.push_back(where.text() + ": " + text);
  };
  const auto kind_of = [&](std::size_t factory) {
    return factory_kind(assembly.package_of_factory(factory).component);
  };
  std::set<std::size_t> used_factories, created_packages, without_exec_params;
  for (std::size_t i = 0; i < assembly.components.size(); ++i) {
    const Instantiation& component = assembly.components[i];
    if (!component.factory) continue;
    used_factories.insert(component.factory->factory);
    created_packages.insert(component.package);
    if (assembly.loads_libraries(component.factory->factory)) continue;
    if (!component.direct_inputs.empty()) {
      warn(component.direct_inputs_where, std::string(kDirectInputs) + " has no effect in '" + component.id +
                                              "': " + kind_of(component.factory->factory) + " '" +
                                              component.factory->id +
                                              "' gets only properties of kind factoryparam");
    }
    if (without_exec_params.insert(component.package).second) {
      for (const SimpleProperty& property : assembly.package_of(i).properties.simple) {
        if (!property.exec_param || property.configurable || property.factory_param) continue;
        warn(property.where, "property '" + property.id + "' has no effect in '" + component.id +
                                 "': it is of kind execparam, and " + kind_of(component.factory->factory) +
                                 " '" + component.factory->id + "' gets only those of kind factoryparam");
      }
    }
  }
  for (std::size_t f = 0; f < assembly.factories.size(); ++f) {
    check_factory(assembly.factories[f], assembly.package_of_factory(f));
    created_packages.insert(assembly.factories[f].package);
    if (used_factories.count(f) != 0) continue;
    warn(
        assembly.factories[f].where,
        kind_of(f) + " '" + assembly.factories[f].id + "' creates no component: no <" +
            (is_component_factory(assembly.package_of_factory(f).component) ? "componentfactoryref"
                                                                            : "componentresourcefactoryref") +
            "> names it");
  }
  for (std::size_t p = 0; p < assembly.packages.size(); ++p) {
    for (const SimpleProperty& property : assembly.packages[p].properties.simple) {
      if (!property.factory_param || property.can_be_set() || created_packages.count(p) != 0) continue;
      warn(property.where, "property '" + property.id +
                               "' has no effect: it is of kind factoryparam, and no factory creates this "
                               "component");
    }
  }
}

}  // namespace orbweaver::sca
