#include "sca/deployment/order_undo.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "base/printable.h"
#include "sca/deployment/deployment_context.h"
#include "sca/deployment/device_capacities.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

constexpr const char* kProcesses = "processes";
constexpr const char* kLoadedFiles = "loaded_files";

/// What a device says that it has: numbers by name. Processes by the identifiers of their components, of
/// which two applications may have the same; how often a file is loaded, 0 while it is being loaded.
using Inventory = std::multimap<std::string, std::int64_t>;

/// Reads lines of a number and a name.
Inventory read_lines(const std::string& text) {
  Inventory inventory;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.find(' ');
    std::istringstream number(line.substr(0, space));
    std::int64_t value = 0;
    if (space != std::string::npos && number >> value) inventory.emplace(line.substr(space + 1), value);
  }
  return inventory;
}

/// The orders of one device.
class DeviceOrders {
 public:
  DeviceOrders(Application& record, const DeploymentDevice& device, DeploymentDomain& domain,
               const LimitedCalls& calls)
      : record_(record), device_(device), domain_(domain), calls_(calls) {}

  /// Raises what a call raises. The orders that are left are those that have not been undone.
  void undo(std::vector<std::string>& problems) {
    for (DeployedAllocation& each : record_.allocations)
      if (is_mine(each)) deallocate(each, problems);
    for (DeployedComponent& each : record_.components)
      if (is_mine(each)) terminate(each, problems);
    for (DeployedLoad& each : record_.loads)
      if (is_mine(each)) unload(each, problems);
  }

 private:
  template <class Order>
  bool is_mine(const Order& order) const {
    return order.unconfirmed > 0 && order.device == device_.candidate.id;
  }

  std::string problem(const std::string& what) const {
    return "device " + text_of(device_) + " may have " + what + " of '" + printable(record_.name) +
           "': it was asked for that, has not answered, and cannot tell; restart it";
  }

  DeviceObject object() const { return calls_.device(device_.reference, device_.is_sca41); }

  /// Nothing if the device has no such property.
  std::optional<Inventory> inventory(const char* property) const {
    CF::Properties properties{CF::DataType(property, CORBA::Any())};
    try {
      object().query(properties);
    } catch (const CF::UnknownProperties&) {
      return std::nullopt;
    }
    const auto text = properties.size() == 1 ? text_of(properties[0].value()) : std::nullopt;
    return text ? std::optional(read_lines(*text)) : std::nullopt;
  }

  void deallocate(DeployedAllocation& order, std::vector<std::string>& problems) const {
    if (!has_allocation_id(order.capacities)) {
      std::string text = "allocated";
      for (const Requirement& each : order.capacities) text += " " + each.id + " = " + each.value;
      problems.push_back(problem(printable(text)));
      order.unconfirmed = 0;
      return;
    }
    try {
      const DeviceObject device = object();
      if (device.has_capacities()) device.deallocate(capacities_of(device_.candidate, order.capacities));
    } catch (const CF::Device::InvalidCapacity&) {  // it has no such allocation
    }
    --order.unconfirmed;
  }

  void terminate(DeployedComponent& order, std::vector<std::string>& problems) const {
    const auto processes = inventory(kProcesses);
    if (!processes) {
      problems.push_back(problem("executed component '" + printable(order.id) + "'"));
      order.unconfirmed = 0;
      return;
    }
    // Read after the inventory: each process in it that another application has ordered is in a record now.
    const OtherExecutions others = domain_.executions_of_others(order.device, order.id, record_.id);
    if (others.in_progress) return;  // which of them is that of the order will be known then
    const DeviceObject executor = object();
    const auto [first, last] = processes->equal_range(printable(order.id));
    for (auto found = first; found != last && executor.executes(); ++found) {
      if (others.processes.contains(found->second)) continue;
      try {
        // Devices that have the property terminate by the process alone, also those of SCA 4.1.
        executor.terminate({found->second, {}});
      } catch (const CF::ExecutableDevice::InvalidProcess&) {  // it has ended
      }
    }
    --order.unconfirmed;
  }

  void unload(DeployedLoad& order, std::vector<std::string>& problems) const {
    const auto files = inventory(kLoadedFiles);
    if (!files) {
      problems.push_back(problem("loaded " + printable(order.file)));
      order.unconfirmed = 0;
      return;
    }
    const auto found = files->find(printable(order.file));
    if (found != files->end() && found->second == 0) return;  // is being loaded
    const auto of_others =
        static_cast<std::int64_t>(domain_.loads_of_others(order.device, order.file, record_.id));
    const DeviceObject loader = object();
    if (found != files->end() && found->second > of_others && loader.loads()) {
      try {
        loader.unload(order.file);
      } catch (const CF::InvalidFileName&) {  // it is not loaded any more
      }
    }
    --order.unconfirmed;
  }

  Application& record_;
  const DeploymentDevice& device_;
  DeploymentDomain& domain_;
  const LimitedCalls& calls_;
};

/// Whether the device of the orders was started again.
bool was_started_again(const Application& record, const DeploymentDevice& device, DeploymentDomain& domain) {
  for (const DeployedDevice& each : record.devices) {
    if (each.id != device.candidate.id || each.reference.empty() || !device.reference) continue;
    try {
      return !device.reference->_is_equivalent(domain.orb()->string_to_object(each.reference));
    } catch (const CORBA::SystemException&) {  // a damaged reference
    }
  }
  return false;
}

/// Moves the elements for which `is_moved` holds from one list to another.
template <class List, class Condition>
void move_if(List& from, List& to, Condition is_moved) {
  const auto first =
      std::stable_partition(from.begin(), from.end(), [&](const auto& each) { return !is_moved(each); });
  std::move(first, from.end(), std::back_inserter(to));
  from.erase(first, from.end());
}

template <class Condition>
void move_orders(Application& from, Application& to, Condition is_moved) {
  move_if(from.allocations, to.allocations, is_moved);
  move_if(from.components, to.components, is_moved);
  move_if(from.loads, to.loads, is_moved);
}

constexpr auto kIsUnconfirmed = [](const auto& order) { return order.unconfirmed > 0; };

}  // namespace

bool has_unconfirmed(const Application& record) {
  return std::any_of(record.allocations.begin(), record.allocations.end(), kIsUnconfirmed) ||
         std::any_of(record.components.begin(), record.components.end(), kIsUnconfirmed) ||
         std::any_of(record.loads.begin(), record.loads.end(), kIsUnconfirmed);
}

void forget_unconfirmed(Application& record) {
  Application forgotten;
  move_orders(record, forgotten, kIsUnconfirmed);
}

std::vector<std::string> undo_unconfirmed(Application& record, DeploymentDomain& domain,
                                          const LimitedCalls& calls) {
  std::vector<std::string> problems;
  if (!has_unconfirmed(record)) return problems;
  Application orders;  // those that are to be undone
  orders.id = record.id;
  orders.name = record.name;
  move_orders(record, orders, kIsUnconfirmed);
  std::set<std::string> started_again;
  for (const DeploymentDevice& device : domain.registered_devices()) {
    if (was_started_again(record, device, domain)) {
      started_again.insert(device.candidate.id);
      continue;
    }
    try {
      DeviceOrders(orders, device, domain, calls).undo(problems);
    } catch (const std::exception&) {
      problems.push_back("what device " + text_of(device) + " has not confirmed of '" +
                         printable(record.name) + "' is not undone yet: " + printable_reason());
    }
  }
  move_orders(orders, record, [&](const auto& order) {
    return order.unconfirmed > 0 && !started_again.contains(order.device);
  });
  return problems;
}

}  // namespace orbweaver::sca
