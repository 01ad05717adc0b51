#include "sca/cf222/deployed_assemblies.h"

#include <algorithm>
#include <utility>

#include "sca/deployment/property_values.h"

namespace orbweaver::sca {

void DeployedAssemblies::add(const std::string& application, Ref assembly) {
  const std::lock_guard lock(mutex_);
  assemblies_[application] = std::move(assembly);
}

void DeployedAssemblies::remove(const std::string& application) {
  const std::lock_guard lock(mutex_);
  assemblies_.erase(application);
}

DeployedAssemblies::Ref DeployedAssemblies::find(const Application& application) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = assemblies_.find(application.id); found != assemblies_.end()) return found->second;
  }
  auto assembly = read_(application.profile);
  Ref ref = assembly ? std::make_shared<const Assembly>(std::move(*assembly)) : nullptr;
  add(application.id, ref);
  // Asked after it has been added: a release that is not seen here removes it.
  if (!exists_(application.id)) remove(application.id);
  return ref;
}

PropertyFile DeployedAssemblies::properties(const Application& application,
                                            const DeployedComponent& component) {
  const Ref assembly = find(application);
  if (!assembly) return {};
  const auto index = assembly->find(component.instantiation);
  if (!index) return {};
  const SoftwarePackage& package = assembly->package_of(*index);
  const auto& all = package.implementations;
  const auto implementation = std::find_if(all.begin(), all.end(), [&](const Implementation& each) {
    return each.id == component.implementation;
  });
  return properties_of(package, implementation == all.end() ? nullptr : &*implementation);
}

}  // namespace orbweaver::sca
