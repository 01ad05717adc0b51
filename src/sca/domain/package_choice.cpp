#include "sca/domain/package_choice.h"

#include <algorithm>

#include "sca/deploy/platform_match.h"

namespace orbweaver::sca {
namespace {

/// A line of a message: why an implementation does not fit. The lines of the reason are indented.
std::string reason_of(const std::string& implementation, const Error& error) {
  std::string text = "\n  implementation '" + implementation + "': ";
  for (const char c : error.message) text += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return text;
}

}  // namespace

Result<void> PackageChoice::choose(const std::vector<PackageUse>& uses) {
  for (const PackageUse& use : uses) {
    if (auto chosen = choose(use); !chosen) return chosen;
  }
  return {};
}

Result<void> PackageChoice::choose(const PackageUse& use) {
  static const std::vector<ImplementationNeeds> kNone;
  const auto package = packages_.find(use.package);
  const auto& implementations = package == packages_.end() ? kNone : package->second;
  if (is_chosen(use, implementations)) return {};
  const std::pair key(use.package, use.implementation);
  const auto known = known_.find(key);
  const std::string text = "no implementation of " + use.package + ", which it depends on, fits";
  if (known != known_.end()) {
    if (!known->second) return Error{ErrorKind::unavailable, text};
    if (auto taken = take_implementation(use.package, *known->second); !taken)
      return Error{ErrorKind::unavailable,
                   text + ":" + reason_of(implementations[*known->second].id, taken.error())};
    return {};
  }
  std::string reasons;
  for (std::size_t i = 0; i < implementations.size(); ++i) {
    const std::string& id = implementations[i].id;
    if (!use.implementation.empty() && use.implementation != id) continue;
    auto taken = take_implementation(use.package, i);
    if (taken) {
      known_[key] = i;
      return {};
    }
    reasons += reason_of(id, taken.error());
  }
  known_[key] = std::nullopt;
  return Error{ErrorKind::unavailable, text + (reasons.empty() ? "; there is none" : ":" + reasons)};
}

Result<void> PackageChoice::take_implementation(const std::string& package, std::size_t index) {
  const ImplementationNeeds& needs = packages_.at(package)[index];
  if (auto mismatch = platform_mismatch(needs.systems, needs.processors, platform_))
    return Error{ErrorKind::unavailable, std::move(*mismatch)};
  const std::size_t mark = capacities_.mark(), chosen = chosen_.size();
  auto taken = capacities_.allocate(needs.requirements);
  if (taken) {
    // Before those that it depends on, so that packages that depend on each other have an end.
    chosen_.push_back({package, index});
    taken = choose(needs.packages);
  }
  if (taken) return {};
  capacities_.undo_to(mark);
  chosen_.resize(chosen);
  return taken;
}

bool PackageChoice::is_chosen(const PackageUse& use,
                              const std::vector<ImplementationNeeds>& implementations) const {
  return std::any_of(chosen_.begin(), chosen_.end(), [&](const PlacedPackage& each) {
    return each.package == use.package &&
           (use.implementation.empty() || implementations[each.implementation].id == use.implementation);
  });
}

}  // namespace orbweaver::sca
