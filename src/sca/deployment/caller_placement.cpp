#include "sca/deployment/caller_placement.h"

#include <set>

#include "CFC.h"
#include "base/printable.h"

namespace orbweaver::sca {
namespace {

/// Length of the caller's text in a message.
constexpr std::size_t kMaxText = 200;
/// Limits of what the caller gives.
constexpr std::size_t kMaxBytes = 1024, kMaxCores = 1024;

[[noreturn]] void reject(const ExecutionAffinity& affinity, const std::string& why) {
  throw CF::ApplicationFactory::CreateApplicationError(
      CF::ErrorNumberType::CF_EINVAL,
      "execution affinity of '" + printable(affinity.component, kMaxText) + "': " + why);
}

Instantiation* find(Assembly& assembly, const std::string& id) {
  if (const auto component = assembly.find(id)) return &assembly.components[*component];
  if (const auto factory = assembly.find_factory(id)) return &assembly.factories[*factory];
  return nullptr;
}

void apply(const ExecutionAffinity& affinity, Assembly& assembly) {
  if (affinity.process.size() > kMaxBytes || affinity.cores.size() > kMaxCores)
    reject(affinity, "its process collocation has more than " + std::to_string(kMaxBytes) +
                         " octets, or there are more than " + std::to_string(kMaxCores) + " cores");
  Instantiation* const component = find(assembly, affinity.component);
  if (component == nullptr) reject(affinity, "the assembly has no such component");
  if (!affinity.process.empty()) {
    if (component->factory)
      reject(affinity, "it is created in the process of factory '" + component->factory->id + "'");
    if (assembly.find_factory(affinity.component)) reject(affinity, "a factory has a process of its own");
    component->process = affinity.process;
  }
  if (affinity.cores.empty()) return;
  component->cores.clear();
  for (const std::uint32_t core : affinity.cores)
    component->cores += (component->cores.empty() ? "" : ",") + std::to_string(core);
}

}  // namespace

void apply(const CallerPlacement& placement, Assembly& assembly) {
  std::set<std::string> known;
  for (const ExecutionAffinity& each : placement.affinities) {
    if (!known.insert(each.component).second) reject(each, "there are two");
    apply(each, assembly);
  }
  if (placement.dependencies.size() > kMaxDependencies)
    throw CF::ApplicationFactory::CreateApplicationError(
        CF::ErrorNumberType::CF_E2BIG,
        "there are more than " + std::to_string(kMaxDependencies) + " deployment dependencies");
  for (const Requirement& each : placement.dependencies)
    if (each.id.size() > kMaxBytes || each.value.size() > kMaxBytes)
      throw CF::ApplicationFactory::CreateApplicationError(
          CF::ErrorNumberType::CF_E2BIG, "deployment dependency '" + printable(each.id, kMaxText) +
                                             "' or its value has more than " + std::to_string(kMaxBytes) +
                                             " octets");
  const auto depend = [&](Instantiation& component) {
    for (const Requirement& each : placement.dependencies)
      set_dependency(component.dependencies, {each.id, each.value});
  };
  for (Instantiation& each : assembly.components) depend(each);
  for (Instantiation& each : assembly.factories) depend(each);
}

}  // namespace orbweaver::sca
