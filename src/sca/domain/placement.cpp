#include "sca/domain/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "sca/domain/package_choice.h"

namespace orbweaver::sca {
namespace {

/// Reasons that are printed for one component; further ones are counted.
constexpr std::size_t kMaxReasons = 16;

/// Why the candidates were refused, a line each.
class Reasons {
 public:
  /// Further lines of the reason are indented.
  void add(const std::string& reason) {
    if (++count_ > kMaxReasons) return;
    text_ += "\n  ";
    for (const char c : reason) text_ += c == '\n' ? std::string("\n  ") : std::string(1, c);
  }
  std::string text() const {
    return count_ <= kMaxReasons ? text_ : text_ + fmt::format("\n  and {} more", count_ - kMaxReasons);
  }

 private:
  std::string text_;
  std::size_t count_ = 0;
};

/// The text of a device in messages: "gpp_1 on node_1".
std::string name_of(const CandidateDevice& device) {
  const std::string& label = device.label.empty() ? device.id : device.label;
  return device.node.empty() ? label : label + " on " + device.node;
}

const AllocationProperty* find(const CandidateDevice& device, const std::string& id_or_name) {
  const auto& all = device.properties;
  auto found = std::find_if(all.begin(), all.end(), [&](auto& p) { return p.id == id_or_name; });
  if (found == all.end())
    found = std::find_if(all.begin(), all.end(), [&](auto& p) { return p.name == id_or_name; });
  return found == all.end() ? nullptr : &*found;
}

/// Why the devicerequires of a component and the deployerrequires of a device differ; nullopt if they have
/// the same ids with the same values. Ids are there once.
std::optional<std::string> unmatched(const std::vector<Requirement>& required,
                                     const std::vector<Requirement>& offered) {
  const auto missing = [](const std::vector<Requirement>& from, const std::vector<Requirement>& in) {
    return std::find_if(from.begin(), from.end(), [&](const Requirement& each) {
      return std::find(in.begin(), in.end(), each) == in.end();
    });
  };
  const auto text = [](const Requirement& each) { return "'" + each.id + "' = '" + each.value + "'"; };
  if (const auto each = missing(required, offered); each != required.end())
    return "has no deployerrequires " + text(*each) + ", which the component has as devicerequires";
  if (const auto each = missing(offered, required); each != offered.end())
    return "takes only components with devicerequires " + text(*each);
  return std::nullopt;
}

const char* text_of(PropertyForm form) {
  switch (form) {
    case PropertyForm::simple: return "a simple value";
    case PropertyForm::sequence: return "a sequence of simple values";
    case PropertyForm::structure: return "a struct";
    case PropertyForm::structure_sequence: break;
  }
  return "a sequence of structs";
}

/// The requirements that a device has to allocate, or why it does not meet another one.
Result<std::vector<Requirement>> capacities_required(const CandidateDevice& device,
                                                     const std::vector<Requirement>& requirements) {
  std::vector<Requirement> capacities;
  for (const Requirement& required : requirements) {
    const AllocationProperty* property = find(device, required.id);
    if (property == nullptr)
      return Error{ErrorKind::unavailable, "has no allocation property '" + required.id + "'"};
    if (required.form != property->form())
      return Error{ErrorKind::unavailable,
                   fmt::format("its allocation property '{}' is {}, and not {}", required.id,
                               text_of(property->form()), text_of(required.form))};
    if (property->action == MatchAction::external) {
      capacities.push_back({property->id, required.value, required.form});
    } else if (auto reason = unmet(*property, required)) {
      return Error{ErrorKind::unavailable, std::move(*reason)};
    }
  }
  return capacities;
}

/// One placement in progress.
class Placer {
 public:
  Placer(const PlacementRequest& request, const std::vector<CandidateDevice>& devices,
         CapacityAllocator& allocator)
      : request_(request), devices_(devices), allocator_(allocator) {
    result_.components.resize(request.components.size());
    collocation_.resize(request.components.size());
    placed_.resize(request.components.size());
    used_.resize(request.uses.size());
    result_.used.resize(request.uses.size());
    for (std::size_t i = 0; i < request.components.size(); ++i) {
      if (!request.components[i].process.empty()) processes_[request.components[i].process].push_back(i);
    }
    for (const HostCollocation& collocation : request.collocations) {
      for (const std::size_t member : collocation.components) collocation_[member] = &collocation;
    }
  }

  Result<Placement> place() {
    auto placed = place_all();
    if (!placed) {
      undo_to(0);
      return placed.take_error();
    }
    return std::move(result_);
  }

 private:
  Result<void> place_all() {
    for (std::size_t i = 0; i < request_.components.size(); ++i) {
      if (placed_[i]) continue;
      const HostCollocation* const collocation = collocation_of(i);
      auto placed = collocation != nullptr ? place_together(*collocation) : place_process(i, nullptr);
      if (!placed) return placed;
    }
    for (std::size_t u = 0; u < request_.uses.size(); ++u) {
      if (auto used = place_application_use(u, nullptr); !used) return used;
    }
    return {};
  }

  /// The collocation of a component, or of one that shares its process.
  const HostCollocation* collocation_of(std::size_t index) const {
    if (collocation_[index] != nullptr) return collocation_[index];
    const auto process = processes_.find(request_.components[index].process);
    if (process == processes_.end()) return nullptr;
    for (const std::size_t member : process->second) {
      if (collocation_[member] != nullptr) return collocation_[member];
    }
    return nullptr;
  }

  /// Places a component, and those that share its process, on a device of `node`, or of any node if it is
  /// null.
  Result<void> place_process(std::size_t index, const std::string* node) {
    const auto process = processes_.find(request_.components[index].process);
    if (process == processes_.end() || process->second.size() == 1)
      return place_component(index, node, std::nullopt);
    Reasons reasons;
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      if (node != nullptr && devices_[d].node != *node) continue;
      const std::size_t mark = result_.allocations.size();
      Result<void> placed;
      for (const std::size_t member : process->second) {
        placed = place_component(member, nullptr, d);
        if (!placed) break;
      }
      if (placed) return {};
      undo_to(mark);
      for (const std::size_t member : process->second) placed_[member] = false;
      reasons.add(placed.error().message);
    }
    return Error{ErrorKind::unavailable,
                 fmt::format("the components of process '{}' can be placed on no device{}", process->first,
                             reasons.text().empty() ? "; there is none" : ":" + reasons.text())};
  }

  /// Places a component on a device of `node`, or on the device `only`.
  Result<void> place_component(std::size_t index, const std::string* node, std::optional<std::size_t> only) {
    const ComponentNeeds& component = request_.components[index];
    Reasons reasons;
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      const CandidateDevice& device = devices_[d];
      if (node != nullptr && device.node != *node) continue;
      if (only && d != *only) continue;
      if (auto refused = may_execute(component, device)) {
        reasons.add(fmt::format("{}: {}", name_of(device), *refused));
        continue;
      }
      for (std::size_t i = 0; i < component.implementations.size(); ++i) {
        const std::size_t mark = result_.allocations.size();
        auto placed = place_implementation(index, i, d);
        if (placed) {
          placed_[index] = true;
          return {};
        }
        undo_to(mark);
        reasons.add(fmt::format("{}, implementation '{}': {}", name_of(device),
                                component.implementations[i].id, placed.error().message));
      }
    }
    return Error{ErrorKind::unavailable,
                 fmt::format("component '{}' can be placed on no device{}", component.id,
                             reasons.text().empty() ? "; there is none" : ":" + reasons.text())};
  }

  /// Why no implementation of the component can be executed by the device.
  static std::optional<std::string> may_execute(const ComponentNeeds& component,
                                                const CandidateDevice& device) {
    if (!component.assigned_device.empty() && component.assigned_device != device.id)
      return "the component is assigned to device '" + component.assigned_device + "'";
    if (!device.executes) return "executes no programs";
    if (!device.closed.empty()) return device.closed;
    return unmatched(component.device_requires, device.deployer_requires);
  }

  Result<void> place_implementation(std::size_t index, std::size_t implementation, std::size_t device) {
    const ComponentNeeds& component = request_.components[index];
    const ImplementationNeeds& needs = component.implementations[implementation];
    if (auto mismatch = platform_mismatch(needs.systems, needs.processors, devices_[device].platform))
      return Error{ErrorKind::unavailable, std::move(*mismatch)};
    if (auto allocated = allocate(index, device, needs.requirements); !allocated) return allocated;
    PlacedComponent placed{device, implementation, {}};
    PackageChoice packages(
        request_.packages, devices_[device].platform,
        {[&](const std::vector<Requirement>& required) { return allocate(index, device, required); },
         [this] { return result_.allocations.size(); }, [this](std::size_t mark) { undo_to(mark); }});
    if (auto chosen = packages.choose(needs.packages); !chosen) return chosen;
    placed.packages = packages.take();
    for (const auto* const uses : {&component.uses, &needs.uses}) {
      for (const DeviceUse& use : *uses) {
        auto used = place_use(index, use);
        if (!used) return used.take_error();
        placed.used.push_back(*used);
      }
    }
    result_.components[index] = std::move(placed);
    return {};
  }

  /// Allocates a device of `node`, or of any, that the application uses, if that has not been done. Fails if
  /// it has been done on another node.
  Result<void> place_application_use(std::size_t use, const std::string* node) {
    if (used_[use]) {
      const std::string& where = devices_[result_.used[use]].node;
      if (node == nullptr || *node == where) return {};
      return Error{ErrorKind::unavailable,
                   fmt::format("its usesdevice '{}' is on {}", request_.uses[use].id, where)};
    }
    auto used = place_use(request_.components.size(), request_.uses[use], node);
    if (!used) return Error{ErrorKind::unavailable, "the application: " + used.error().message};
    used_[use] = true;
    result_.used[use] = *used;
    return {};
  }

  /// Allocates a device that the component uses; returns its index.
  Result<std::size_t> place_use(std::size_t index, const DeviceUse& use, const std::string* node = nullptr) {
    Reasons reasons;
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      if (node != nullptr && devices_[d].node != *node) continue;
      Result<void> allocated;
      if (!devices_[d].closed.empty()) {
        allocated = Error{ErrorKind::unavailable, devices_[d].closed};
      } else {
        allocated = allocate(index, d, use.requirements);
      }
      if (allocated) return d;
      reasons.add(fmt::format("{}: {}", name_of(devices_[d]), allocated.error().message));
    }
    return Error{ErrorKind::unavailable, fmt::format("no device fits its usesdevice '{}'{}", use.id,
                                                     reasons.text().empty() ? "" : ":" + reasons.text())};
  }

  Result<void> allocate(std::size_t component, std::size_t device,
                        const std::vector<Requirement>& requirements) {
    auto capacities = capacities_required(devices_[device], requirements);
    if (!capacities) return capacities.take_error();
    if (capacities->empty()) return {};
    if (auto allocated = allocator_.allocate(device, *capacities); !allocated) return allocated;
    result_.allocations.push_back({component, device, std::move(*capacities)});
    return {};
  }

  /// Places all components of a collocation on one node.
  Result<void> place_together(const HostCollocation& collocation) {
    Reasons reasons;
    for (const std::string& node : nodes()) {
      const std::size_t mark = result_.allocations.size();
      Result<void> placed;
      const std::vector<bool> placed_before = placed_, used_before = used_;
      for (const std::size_t member : collocation.components) {
        placed = placed_[member] ? is_on(member, node) : place_process(member, &node);
        if (!placed) break;
      }
      for (const std::size_t use : collocation.uses) {
        if (placed) placed = place_application_use(use, &node);
      }
      if (placed) return {};
      undo_to(mark);
      placed_ = placed_before;
      used_ = used_before;
      reasons.add(fmt::format("{}: {}", node, placed.error().message));
    }
    return Error{ErrorKind::unavailable,
                 fmt::format("host collocation '{}' can be placed on no node{}", collocation.name,
                             reasons.text().empty() ? "; there is none" : ":" + reasons.text())};
  }

  /// Whether a component that has been placed, in the process of another one, is on the node.
  Result<void> is_on(std::size_t component, const std::string& node) const {
    const std::string& where = devices_[result_.components[component].device].node;
    if (where == node) return {};
    return Error{ErrorKind::unavailable, fmt::format("component '{}' is on {}, in the process of another one",
                                                     request_.components[component].id, where)};
  }

  /// The nodes of the devices, in the order of the devices.
  std::vector<std::string> nodes() const {
    std::vector<std::string> nodes;
    for (const CandidateDevice& device : devices_) {
      if (std::find(nodes.begin(), nodes.end(), device.node) == nodes.end()) nodes.push_back(device.node);
    }
    return nodes;
  }

  void undo_to(std::size_t mark) {
    while (result_.allocations.size() > mark) {
      const CapacityAllocation& last = result_.allocations.back();
      allocator_.deallocate(last.device, last.capacities);
      result_.allocations.pop_back();
    }
  }

  const PlacementRequest& request_;
  const std::vector<CandidateDevice>& devices_;
  CapacityAllocator& allocator_;
  std::vector<const HostCollocation*> collocation_;  // of each component
  std::map<std::string, std::vector<std::size_t>> processes_;
  std::vector<bool> placed_;  // of each component
  std::vector<bool> used_;    // of each use of the application
  Placement result_;
};

}  // namespace

Result<Placement> place(const PlacementRequest& request, const std::vector<CandidateDevice>& devices,
                        CapacityAllocator& allocator) {
  return Placer(request, devices, allocator).place();
}

void deallocate_all(const Placement& placement, CapacityAllocator& allocator) noexcept {
  const auto& made = placement.allocations;
  for (auto each = made.rbegin(); each != made.rend(); ++each)
    allocator.deallocate(each->device, each->capacities);
}

}  // namespace orbweaver::sca
