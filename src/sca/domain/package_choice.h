#pragma once

#include <orbweaver/result.h>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sca/domain/placement.h"

namespace orbweaver::sca {

/// Chooses implementations of the packages that one implementation of a component depends on, for the device
/// that is to execute it: of each package the first implementation for the platform of the device whose
/// requirements the device meets and allocates, and whose own packages fit there, too. One thread.
class PackageChoice {
 public:
  /// The capacities of the device. `mark` is the number of allocations that have been made, and `undo_to`
  /// gives back those that were made after a mark, the last one first.
  struct Capacities {
    std::function<Result<void>(const std::vector<Requirement>&)> allocate;
    std::function<std::size_t()> mark;
    std::function<void(std::size_t)> undo_to;
  };

  /// `packages` (PlacementRequest::packages) and `platform` outlive the object.
  PackageChoice(const std::map<std::string, std::vector<ImplementationNeeds>>& packages,
                const Platform& platform, Capacities capacities)
      : packages_(packages), platform_(platform), capacities_(std::move(capacities)) {}

  /// Fails with ErrorKind::unavailable if no implementation of one of the packages fits; the message names
  /// the package, with a line for each implementation. The caller then gives back what has been allocated.
  ///
  /// A package that fits keeps its implementation, and one that does not is not tried again, also where
  /// another package that depends on it was given up meanwhile: the effort is polynomial in the number of
  /// packages.
  Result<void> choose(const std::vector<PackageUse>& uses);

  /// As PlacedComponent::packages.
  std::vector<PlacedPackage> take() { return std::move(chosen_); }

 private:
  Result<void> choose(const PackageUse& use);
  Result<void> take_implementation(const std::string& package, std::size_t index);
  bool is_chosen(const PackageUse& use, const std::vector<ImplementationNeeds>& implementations) const;

  const std::map<std::string, std::vector<ImplementationNeeds>>& packages_;
  const Platform& platform_;
  const Capacities capacities_;
  std::vector<PlacedPackage> chosen_;
  /// What was found before of a package and the implementation that is needed; empty: none fits.
  std::map<std::pair<std::string, std::string>, std::optional<std::size_t>> known_;
};

}  // namespace orbweaver::sca
