#pragma once

#include <orbweaver/result.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sca/deploy/platform_match.h"
#include "sca/domain/allocation_property.h"

namespace orbweaver::sca {

/// A registered device that components may be placed on, or whose capacities they use.
struct CandidateDevice {
  std::string id;
  std::string label;
  std::string node;      ///< Id of the node (device manager) that it belongs to.
  bool executes = true;  ///< It is an executable device: components can run on it.
  std::string closed;    ///< Why nothing is placed on it at present ("is locked"); empty if that is possible.
  Platform platform;     ///< What is unknown fits every implementation.
  std::vector<AllocationProperty> properties;
  /// REDHAWK's deployerrequires: it takes only components whose device_requires are these.
  std::vector<Requirement> deployer_requires = {};
};

/// A device that a component uses without being executed by it (<usesdevice>).
struct DeviceUse {
  std::string id;
  std::vector<Requirement> requirements;
};

/// A package that an implementation depends on (<softpkgref>).
struct PackageUse {
  std::string package;         ///< Key of PlacementRequest::packages.
  std::string implementation;  ///< Id of the implementation that is needed; empty: any that fits the device.
};

/// What one implementation of a component, or of a package that it depends on, needs of the device that
/// executes the component.
struct ImplementationNeeds {
  std::string id;
  std::vector<OperatingSystem> systems;  ///< <os>; empty: any.
  std::vector<std::string> processors;   ///< <processor name>; empty: any.
  std::vector<Requirement> requirements;
  /// In addition to those of the component. Without effect for packages that it depends on.
  std::vector<DeviceUse> uses = {};
  std::vector<PackageUse> packages = {};
};

/// What a component needs.
struct ComponentNeeds {
  std::string id;
  std::vector<ImplementationNeeds> implementations;  ///< In order of preference.
  std::vector<DeviceUse> uses;
  std::string assigned_device;  ///< Id of the device chosen by the caller of create(); empty: any.
  std::string process = {};     ///< Components with the same text share a process. Empty: its own.
  /// REDHAWK's devicerequires: it is placed only on a device whose deployer_requires are these.
  std::vector<Requirement> device_requires = {};
};

/// Components that have to be placed on one node (<hostcollocation>).
struct HostCollocation {
  std::string name;
  std::vector<std::size_t> components;  ///< Indices into PlacementRequest::components.
  std::vector<std::size_t> uses = {};   ///< Devices of that node: indices into PlacementRequest::uses.
};

/// What is to be placed. No component is in two collocations. Components that share a process, of which one
/// is in a collocation, are all placed on its node.
struct PlacementRequest {
  std::vector<ComponentNeeds> components;
  std::vector<HostCollocation> collocations;
  std::vector<DeviceUse> uses = {};  ///< Devices that the application itself uses.
  /// The implementations of the packages that components depend on, in order of preference, by the names of
  /// the packages in messages.
  std::map<std::string, std::vector<ImplementationNeeds>> packages = {};
};

/// Allocates capacities of devices. Called by place(), one call at a time.
class CapacityAllocator {
 public:
  virtual ~CapacityAllocator() = default;
  /// Allocates all of `capacities`, with the ids of the device's properties, or none. The error's message
  /// says why not ("512 of memory_mb, of which 256 are left").
  virtual Result<void> allocate(std::size_t device, const std::vector<Requirement>& capacities) = 0;
  /// Gives back what one allocate() has allocated.
  virtual void deallocate(std::size_t device, const std::vector<Requirement>& capacities) noexcept = 0;
};

/// Capacities of a device that have been allocated by one call.
struct CapacityAllocation {
  /// For this one: index into PlacementRequest::components, or its size: for the application itself.
  std::size_t component = 0;
  std::size_t device = 0;  ///< Index into the candidates.
  std::vector<Requirement> capacities;
};

/// The implementation that was chosen of a package.
struct PlacedPackage {
  std::string package;             ///< Key of PlacementRequest::packages.
  std::size_t implementation = 0;  ///< Index into its implementations.
  friend bool operator==(const PlacedPackage&, const PlacedPackage&) = default;
};

/// Where a component is placed.
struct PlacedComponent {
  std::size_t device = 0;          ///< Index into the candidates.
  std::size_t implementation = 0;  ///< Index into ComponentNeeds::implementations.
  /// Indices into the candidates: parallel to ComponentNeeds::uses, then to ImplementationNeeds::uses.
  std::vector<std::size_t> used;
  /// The packages that the implementation depends on, directly or not, each once.
  std::vector<PlacedPackage> packages = {};
};

struct Placement {
  std::vector<PlacedComponent> components;      ///< Parallel to PlacementRequest::components.
  std::vector<std::size_t> used;                ///< Parallel to PlacementRequest::uses.
  std::vector<CapacityAllocation> allocations;  ///< In the order in which they were made.
};

/// Chooses device and implementation for every component, and allocates the capacities that it requires with
/// the action `external` (SCA 2.2.2 3.1.3.3.5.5.1.3). Components are placed in their order, those of a host
/// collocation together with its first one; each on the first device that takes it, in the order of
/// `devices`, with the first of its implementations that fits there with the packages that it depends on
/// (package_choice.h), whose requirements are allocated for each component. A host collocation is placed on
/// the first node that takes all of it, and components that share a process on the first device that takes
/// all of them. Last, the devices that the application uses are chosen. An earlier choice is not changed for
/// the sake of a later component.
///
/// Fails with ErrorKind::unavailable if a component or use can be placed on no device; the message says for
/// each device why, a line each. Then everything is deallocated, the last allocation first. The number of
/// calls of `allocator` is at most that of components (and uses) times devices, for each implementation; for
/// packages it is polynomial in their number.
Result<Placement> place(const PlacementRequest& request, const std::vector<CandidateDevice>& devices,
                        CapacityAllocator& allocator);

/// Gives back what place() has allocated, the last allocation first.
void deallocate_all(const Placement& placement, CapacityAllocator& allocator) noexcept;

}  // namespace orbweaver::sca
