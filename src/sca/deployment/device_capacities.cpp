#include "sca/deployment/device_capacities.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sca/deployment/device_host.h"
#include "sca/deployment/late_calls.h"
#include "sca/device_state/capacity.h"
#include "sca/profile/property_json.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

/// Throws std::invalid_argument if the text is no value of the form of the property.
PropertyValue structured_value(const AllocationProperty& property, const std::string& text) {
  auto value = value_of_text(text);
  if (!value) throw std::invalid_argument(property.id + ": " + value.error().message);
  // An empty sequence in JSON has no form.
  if (value->form == PropertyForm::sequence && value->elements.empty() &&
      property.form() == PropertyForm::structure_sequence)
    return PropertyValue::structure_sequence({});
  if (value->form != property.form())
    throw std::invalid_argument(property.id + ": " + text + " has another form");
  return std::move(*value);
}

}  // namespace

CF::Properties capacities_of(const CandidateDevice& device, const std::vector<Requirement>& capacities) {
  CF::Properties all;
  for (const Requirement& capacity : capacities) {
    const auto property = std::find_if(device.properties.begin(), device.properties.end(),
                                       [&](auto& each) { return each.id == capacity.id; });
    if (property != device.properties.end() && property->structure) {
      all.emplace_back(capacity.id,
                       any_of(*property->structure, structured_value(*property, capacity.value)));
      continue;
    }
    const std::string type = property == device.properties.end() ? "string" : property->type;
    all.emplace_back(capacity.id, any_of(type, capacity.value));
  }
  return all;
}

bool has_allocation_id(const std::vector<Requirement>& capacities) {
  return std::any_of(capacities.begin(), capacities.end(),
                     [](auto& each) { return each.id == kAllocationId; });
}

std::vector<Requirement> DeviceCapacities::with_id(const CandidateDevice& device,
                                                   std::vector<Requirement> capacities) {
  if (std::any_of(device.properties.begin(), device.properties.end(),
                  [](auto& each) { return each.id == kAllocationId; }))
    capacities.push_back({kAllocationId, context_.request.id + "/" + std::to_string(++allocations_)});
  return capacities;
}

Durability DeviceCapacities::durability_of(std::size_t device) const {
  return durability_of_orders(context_.devices[device], context_.domain.orb());
}

void DeviceCapacities::expect(const PlacementRequest& request,
                              const std::vector<CandidateDevice>& candidates) {
  // A device to which an allocation is unknown ignores that it is given back if that has an identifier.
  class Expected final : public CapacityAllocator {
   public:
    explicit Expected(DeviceCapacities& capacities) : capacities_(capacities) {}
    Result<void> allocate(std::size_t device, const std::vector<Requirement>& amounts) override {
      const DeploymentDevice& at = capacities_.context_.devices[device];
      const auto all = capacities_.with_id(at.candidate, amounts);
      if (has_allocation_id(all))
        capacities_.expected_.push_back({device, amounts, {at.candidate.id, all, kUnconfirmed}});
      return {};
    }
    void deallocate(std::size_t, const std::vector<Requirement>&) noexcept override {}

   private:
    DeviceCapacities& capacities_;
  };
  Expected all(*this);
  static_cast<void>(place(request, candidates, all));
  if (expected_.size() < 2) {  // nothing is saved
    expected_.clear();
    allocations_ = 0;
    return;
  }
  const bool are_here = std::all_of(expected_.begin(), expected_.end(), [&](const ExpectedAllocation& each) {
    return durability_of(each.device) == Durability::process;
  });
  const auto add = [&](Application& record) {
    for (const ExpectedAllocation& each : expected_) {
      record.allocations.push_back(each.order);
      context_.add_device(record, context_.devices[each.device]);
    }
  };
  try {
    context_.record.change(add, are_here ? Durability::process : Durability::machine);
  } catch (...) {
    forget_expected();
    throw;
  }
}

void DeviceCapacities::forget_expected() {
  if (expected_.empty()) return;
  context_.record.change_later([&](Application& record) {
    for (const ExpectedAllocation& each : expected_) std::erase(record.allocations, each.order);
  });
  expected_.clear();
}

DeployedAllocation DeviceCapacities::order(std::size_t device, const std::vector<Requirement>& capacities) {
  const auto expected = std::find_if(expected_.begin(), expected_.end(), [&](const ExpectedAllocation& each) {
    return each.device == device && each.amounts == capacities;
  });
  if (expected != expected_.end()) {
    DeployedAllocation order = std::move(expected->order);
    expected_.erase(expected);
    return order;
  }
  const DeploymentDevice& at = context_.devices[device];
  DeployedAllocation order{at.candidate.id, with_id(at.candidate, capacities), kUnconfirmed};
  const auto add = [&](Application& record) {
    record.allocations.push_back(order);
    context_.add_device(record, at);
  };
  try {
    context_.record.change(add, durability_of(device));
  } catch (...) {
    context_.record.change_later([&](Application& record) { std::erase(record.allocations, order); });
    throw;
  }
  return order;
}

Result<void> DeviceCapacities::allocate(std::size_t device, const std::vector<Requirement>& capacities) {
  if (silent_.contains(device))
    return Error{ErrorKind::unavailable, "has not answered another call of this deployment"};
  const DeploymentDevice& at = context_.devices[device];
  const DeployedAllocation ordered = order(device, capacities);
  const auto remove = [&] {
    context_.record.change_later([&](Application& record) { std::erase(record.allocations, ordered); });
  };
  try {
    const CF::Properties amounts = capacities_of(at.candidate, ordered.capacities);
    const auto late = context_.late_calls, undo = context_.undo_calls;
    const auto allocated = call_within(
        context_.request.limits.call,
        {context_.request.id, "allocateCapacity() of device " + text_of(at),
         [late, device = at.reference, is_sca41 = at.is_sca41, amounts] {
           return late.device(device, is_sca41).allocate(amounts) ? 1 : 0;
         },
         [undo, device = at.reference, is_sca41 = at.is_sca41, amounts](std::int32_t was_allocated) {
           if (was_allocated != 0) undo.device(device, is_sca41).deallocate(amounts);
         },
         at.candidate.id});
    if (allocated == 0) {
      remove();
      std::string text;
      for (const Requirement& each : capacities)
        text += (text.empty() ? "" : ", ") + each.id + " = " + each.value;
      return Error{ErrorKind::unavailable, "has not enough left of " + text};
    }
  } catch (const CORBA::TIMEOUT&) {
    silent_.insert(device);
    return Error{ErrorKind::unavailable, printable_reason()};
  } catch (const std::exception&) {
    if (!DeploymentContext::may_be_performed()) remove();
    return Error{ErrorKind::unavailable, printable_reason()};
  }
  // The next order stores it: until then, a crash leaves an order that is not confirmed.
  context_.record.change_later([&](Application& record) {
    std::find(record.allocations.begin(), record.allocations.end(), ordered)->unconfirmed = 0;
  });
  return {};
}

void DeviceCapacities::deallocate(std::size_t device, const std::vector<Requirement>& capacities) noexcept {
  if (silent_.contains(device)) return;  // as below
  const DeploymentDevice& at = context_.devices[device];
  const auto is_this = [&](const DeployedAllocation& each) {
    std::vector<Requirement> amounts = each.capacities;
    std::erase_if(amounts, [](auto& capacity) { return capacity.id == kAllocationId; });
    return each.device == at.candidate.id && amounts == capacities && each.unconfirmed == 0;
  };
  const Application recorded = context_.record.get();
  const auto found = std::find_if(recorded.allocations.rbegin(), recorded.allocations.rend(), is_this);
  if (found == recorded.allocations.rend()) return;
  DeployedAllocation made = *found;
  const auto find_in = [&](Application& record) {
    return std::find(record.allocations.rbegin(), record.allocations.rend(), made);
  };
  const auto remove = [&] {
    context_.record.change_later([&](Application& record) {
      if (const auto each = find_in(record); each != record.allocations.rend())
        record.allocations.erase(std::next(each).base());
    });
  };
  const auto mark = [&](Application& record, std::int64_t unconfirmed) {
    if (const auto each = find_in(record); each != record.allocations.rend()) each->unconfirmed = unconfirmed;
    made.unconfirmed = unconfirmed;
  };
  bool sent = false;
  try {
    // A domain manager that comes after this one would return them a second time.
    if (!has_allocation_id(made.capacities))
      context_.record.change([&](Application& record) { mark(record, kUnconfirmed); });
    const DeviceObject object = context_.calls.device(at.reference, at.is_sca41);
    const CF::Properties amounts = capacities_of(at.candidate, made.capacities);
    if (!object.has_capacities()) throw std::runtime_error("it has no capacities any more");
    sent = true;
    object.deallocate(amounts);
    remove();
  } catch (const CORBA::TIMEOUT&) {
    silent_.insert(device);
    // It may have been performed, and a device that takes no identifiers would perform it twice.
    if (sent && !has_allocation_id(made.capacities)) return remove();
    context_.record.change_later([&](Application& record) { mark(record, 0); });
  } catch (const std::exception&) {  // it stays in the record, whose undeployment tries again
    context_.record.change_later([&](Application& record) { mark(record, 0); });
  }
}

}  // namespace orbweaver::sca
