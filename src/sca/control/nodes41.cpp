#include "sca/control/nodes41.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "CF41DomainC.h"
#include "sca/cf/device_states.h"
#include "sca/control/call_error.h"
#include "sca/control/read_object.h"

namespace orbweaver::sca {
namespace {

using Type = CF::ComponentEnumType;

/// A device has those of the interfaces that it needs. Without them it is unlocked, enabled and idle.
void read_states(const IDL::traits<CORBA::Object>::ref_type& object, ReadDevice& read) {
  // The enumerators of both editions have the same order.
  auto admin = CF::Device::AdminType::UNLOCKED;
  if (const auto device = IDL::traits<CF::AdministratableInterface>::narrow(object))
    admin = static_cast<CF::Device::AdminType>(device->adminState());
  auto operational = CF::Device::OperationalType::ENABLED;
  if (const auto device = IDL::traits<CF::DeviceAttributes>::narrow(object))
    operational = static_cast<CF::Device::OperationalType>(device->operationalState());
  auto usage = CF::Device::UsageType::IDLE;
  if (const auto device = IDL::traits<CF::CapacityManagement>::narrow(object))
    usage = static_cast<CF::Device::UsageType>(device->usageState());
  read.admin = state_text(admin);
  read.operational = state_text(operational);
  read.usage = state_text(usage);
}

void read_device41(const IDL::traits<CORBA::Object>::ref_type& object, ReadDevice& read) {
  read_object(read, [&] {
    if (!object) throw CORBA::OBJECT_NOT_EXIST();
    read_states(object, read);
    if (const auto set = IDL::traits<CF::PropertySet>::narrow(object)) read_properties(*set, read);
  });
}

/// What a manager has in the MANAGER_INFO of its specializedInfo.
CF::Components components_of(const CF::ComponentType& manager) {
  CF::ManagerInfo info;
  for (const CF::DataType& each : manager.specializedInfo())
    if (each.id() == CF::MANAGER_INFO_ID && (each.value() >>= info)) return info.deployedComponents();
  return {};
}

}  // namespace

void add_nodes41(std::vector<ReadNode>& nodes, const DomainClient::ObjectRef& domain) {
  const auto manager = IDL::traits<CF41::DomainManager>::narrow(domain);
  if (!manager) return;
  std::set<std::string> known;
  for (const ReadNode& node : nodes) known.insert(node.id);
  std::vector<ReadNode> added;
  std::vector<std::vector<IDL::traits<CORBA::Object>::ref_type>> objects;  // of the devices of each
  for (const CF::ComponentType& each : manager->managers()) {
    if (!known.insert(each.identifier()).second) continue;
    ReadNode& node = added.emplace_back();
    objects.emplace_back();
    node.id = node.name = each.identifier();
    node.profile = each.profile();
    for (const CF::ComponentType& component : components_of(each)) {
      if (component.type() == Type::SERVICE_COMPONENT) {
        node.services.push_back(component.identifier());
        continue;
      }
      ReadDevice& device = node.devices.emplace_back();
      device.id = device.name = component.identifier();
      device.profile = component.profile();
      objects.back().push_back(component.componentObject());
    }
  }
  std::vector<std::pair<std::size_t, std::size_t>> all;  // node and device
  for (std::size_t i = 0; i < added.size(); ++i)
    for (std::size_t j = 0; j < added[i].devices.size(); ++j) all.emplace_back(i, j);
  each_concurrently(all.size(), [&](std::size_t k) {
    const auto [i, j] = all[k];
    read_device41(objects[i][j], added[i].devices[j]);
  });
  std::move(added.begin(), added.end(), std::back_inserter(nodes));
  std::stable_sort(nodes.begin(), nodes.end(), [](auto& a, auto& b) { return a.name < b.name; });
}

}  // namespace orbweaver::sca
