#pragma once

#include <set>
#include <vector>

#include "sca/deployment/deployment_context.h"

namespace orbweaver::sca {

/// Allocates capacities by CF::Device::allocateCapacity. What is asked for is recorded, and stored before the
/// call. A device that has not answered within the time limit is not called again.
class DeviceCapacities final : public CapacityAllocator {
 public:
  explicit DeviceCapacities(DeploymentContext& context) : context_(context) {}
  ~DeviceCapacities() override { forget_expected(); }
  DeviceCapacities(const DeviceCapacities&) = delete;
  DeviceCapacities& operator=(const DeviceCapacities&) = delete;

  /// Records what place() will ask for if no device refuses it, so that this is stored once and not before
  /// each call: of devices that take identifiers of allocations. Others are recorded by allocate(), and what
  /// is not asked for is removed by the destructor. Raises the exception of DeploymentDomain::store.
  void expect(const PlacementRequest& request, const std::vector<CandidateDevice>& candidates);
  Result<void> allocate(std::size_t device, const std::vector<Requirement>& capacities) override;
  void deallocate(std::size_t device, const std::vector<Requirement>& capacities) noexcept override;

 private:
  /// The capacities with an identifier of the allocation, if the device takes one.
  std::vector<Requirement> with_id(const CandidateDevice& device, std::vector<Requirement> capacities);

  /// What the record of an order to the device has to survive.
  Durability durability_of(std::size_t device) const;

  /// An allocation that is recorded, and has not been asked for.
  struct ExpectedAllocation {
    std::size_t device;
    std::vector<Requirement> amounts;  // without the identifier
    DeployedAllocation order;
  };
  /// The record of an allocation, which has been stored.
  DeployedAllocation order(std::size_t device, const std::vector<Requirement>& capacities);
  void forget_expected();

  DeploymentContext& context_;
  std::vector<ExpectedAllocation> expected_;
  std::size_t allocations_ = 0;   // that were asked for
  std::set<std::size_t> silent_;  // devices that have not answered
};

/// Whether capacities have the identifier of their allocation, so that they are returned once.
bool has_allocation_id(const std::vector<Requirement>& capacities);

/// The argument of allocateCapacity() and deallocateCapacity(), with values of the types of the device's
/// properties. Throws std::invalid_argument if one is no value of its type.
CF::Properties capacities_of(const CandidateDevice& device, const std::vector<Requirement>& capacities);

}  // namespace orbweaver::sca
