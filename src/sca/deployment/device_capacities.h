#pragma once

#include <set>

#include "sca/deployment/deployment_context.h"

namespace orbweaver::sca {

/// Allocates capacities by CF::Device::allocateCapacity. What is asked for is recorded, and stored before the
/// call. A device that has not answered within the time limit is not called again.
class DeviceCapacities final : public CapacityAllocator {
 public:
  explicit DeviceCapacities(DeploymentContext& context) : context_(context) {}

  Result<void> allocate(std::size_t device, const std::vector<Requirement>& capacities) override;
  void deallocate(std::size_t device, const std::vector<Requirement>& capacities) noexcept override;

 private:
  /// The capacities with an identifier of the allocation, if the device takes one.
  std::vector<Requirement> with_id(const CandidateDevice& device, std::vector<Requirement> capacities);

  DeploymentContext& context_;
  std::size_t allocations_ = 0;   // that were asked for
  std::set<std::size_t> silent_;  // devices that have not answered
};

/// Whether capacities have the identifier of their allocation, so that they are returned once.
bool has_allocation_id(const std::vector<Requirement>& capacities);

/// The argument of allocateCapacity() and deallocateCapacity(), with values of the types of the device's
/// properties. Throws std::invalid_argument if one is no value of its type.
CF::Properties capacities_of(const CandidateDevice& device, const std::vector<Requirement>& capacities);

}  // namespace orbweaver::sca
