#include "orb/initial_reference_providers.h"

#include <algorithm>
#include <mutex>

namespace orbweaver {
namespace {

/// Providers of the libraries that are loaded. Never freed: destructors of libraries may run later.
struct Providers {
  std::mutex mutex;
  std::vector<const InitialReferenceProvider*> all;
};
Providers& providers() {
  static auto* const instance = new Providers;
  return *instance;
}

}  // namespace

InitialReferenceProvider::InitialReferenceProvider(const char* name, Make function) noexcept
    : name_(name), make_(function) {
  const std::lock_guard lock(providers().mutex);
  providers().all.push_back(this);
}

InitialReferenceProvider::~InitialReferenceProvider() {
  const std::lock_guard lock(providers().mutex);
  auto& all = providers().all;
  all.erase(std::remove(all.begin(), all.end(), this), all.end());
}

namespace orb {

InitialReferenceProvider::Make find_initial_reference(const std::string& name) {
  const std::lock_guard lock(providers().mutex);
  for (const InitialReferenceProvider* const each : providers().all) {
    if (each->name() == name) return each->make();
  }
  return nullptr;
}

std::vector<std::string> provided_initial_references() {
  const std::lock_guard lock(providers().mutex);
  std::vector<std::string> names;
  for (const InitialReferenceProvider* const each : providers().all) names.emplace_back(each->name());
  return names;
}

}  // namespace orb
}  // namespace orbweaver
