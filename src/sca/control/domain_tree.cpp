#include "sca/control/domain_tree.h"

#include <algorithm>
#include <map>

#include "DomainC.h"
#include "sca/cf/device_states.h"
#include "sca/control/read_object.h"

namespace orbweaver::sca {
namespace {

/// Reads a device; `parts` become the devices that are part of it.
void read_device(const IDL::traits<CF::Device>::ref_type& device, ReadDevice& read,
                 CF::DeviceSequence& parts) {
  read_object(read, [&] {
    if (!device) throw CORBA::OBJECT_NOT_EXIST();
    read.id = device->identifier();
    read.name = device->label();
    read.profile = device->softwareProfile();
    read.admin = state_text(device->adminState());
    read.operational = state_text(device->operationalState());
    read.usage = state_text(device->usageState());
    if (const auto aggregate = device->compositeDevice()) parts = aggregate->devices();
    read_properties(*device, read);
  });
}

/// Whether the device `id` is `ancestor`, or part of it, directly or not.
bool is_within(const ReadNode& node, std::string id, const std::string& ancestor) {
  for (std::size_t steps = 0; steps <= node.devices.size() && !id.empty(); ++steps) {
    if (id == ancestor) return true;
    const auto device = std::find_if(node.devices.begin(), node.devices.end(),
                                     [&](const ReadDevice& each) { return each.id == id; });
    id = device == node.devices.end() ? std::string() : device->part_of;
  }
  return false;
}

/// Tells the devices of a node which of them they are part of. `parts` are those of each device.
void set_parents(ReadNode& node, const CF::DeviceSequence& devices,
                 const std::vector<CF::DeviceSequence>& parts) {
  for (std::size_t i = 0; i < devices.size(); ++i) {
    for (std::size_t j = 0; j < devices.size(); ++j) {
      const bool is_part = i != j && std::any_of(parts[j].begin(), parts[j].end(), [&](const auto& part) {
                             return part && devices[i] && part->_is_equivalent(devices[i]);
                           });
      // Devices that are part of each other form no tree.
      if (is_part && !is_within(node, node.devices[j].id, node.devices[i].id))
        node.devices[i].part_of = node.devices[j].id;
    }
  }
}

/// Reads what only applications of Orbweaver's domain manager tell.
void read_state(ReadApplication& read) {
  using State = ::orbweaver::framework::ApplicationState;
  const auto application = IDL::traits<::orbweaver::framework::DomainApplication>::narrow(read.reference);
  if (!application) return;
  switch (application->state()) {
    case State::APPLICATION_STOPPED: read.state = "stopped"; break;
    case State::APPLICATION_STARTED: read.state = "started"; break;
    case State::APPLICATION_FAILED: read.state = "failed"; break;
    case State::APPLICATION_RELEASING: read.state = "releasing"; break;
  }
  read.failure = application->failure();
  read.redeploy = application->redeploy();
}

void read_application(ReadApplication& read) {
  const auto& application = read.reference;
  if (!application) throw CORBA::OBJECT_NOT_EXIST();
  read.name = application->name();
  read.id = application->identifier();
  read.profile = application->profile();
  read_state(read);
  std::map<std::string, ReadComponent> components;
  for (const auto& each : application->componentDevices())
    components[each.componentId()].device = each.assignedDeviceId();
  for (const auto& each : application->componentProcessIds())
    components[each.componentId()].process = each.processId();
  for (const auto& each : application->componentImplementations())
    components[each.componentId()].implementation = each.elementId();
  for (const auto& each : application->componentNamingContexts())
    components[each.componentId()].name = each.elementId();
  for (auto& [id, component] : components) {
    component.id = id;
    read.components.push_back(component);
  }
}

template <class List>
void sort_by_name(List& list) {
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

}  // namespace

std::vector<ReadNode> read_nodes(const DomainClient::DomainRef& domain) {
  const auto managers = domain->deviceManagers();
  std::vector<ReadNode> nodes(managers.size());
  std::vector<CF::DeviceSequence> devices(managers.size());
  each_concurrently(managers.size(), [&](std::size_t i) {
    read_object(nodes[i], [&] {
      if (!managers[i]) throw CORBA::OBJECT_NOT_EXIST();
      nodes[i].id = managers[i]->identifier();
      nodes[i].name = managers[i]->label();
      nodes[i].profile = managers[i]->deviceConfigurationProfile();
      devices[i] = managers[i]->registeredDevices();
      for (const auto& service : managers[i]->registeredServices())
        nodes[i].services.push_back(service.serviceName());
    });
  });
  std::vector<std::pair<std::size_t, std::size_t>> all;  // node and device
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].devices.resize(devices[i].size());
    for (std::size_t j = 0; j < devices[i].size(); ++j) all.emplace_back(i, j);
  }
  std::vector<CF::DeviceSequence> parts(all.size());
  each_concurrently(all.size(), [&](std::size_t k) {
    const auto [i, j] = all[k];
    read_device(devices[i][j], nodes[i].devices[j], parts[k]);
  });
  auto first = parts.begin();  // of the node
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto end = first + static_cast<std::ptrdiff_t>(devices[i].size());
    set_parents(nodes[i], devices[i], {first, end});
    first = end;
    sort_by_name(nodes[i].devices);
  }
  sort_by_name(nodes);
  return nodes;
}

std::vector<ReadFactory> read_factories(const DomainClient::DomainRef& domain) {
  const auto references = domain->applicationFactories();
  std::vector<ReadFactory> factories(references.size());
  each_concurrently(references.size(), [&](std::size_t i) {
    factories[i].reference = references[i];
    read_object(factories[i], [&] {
      if (!references[i]) throw CORBA::OBJECT_NOT_EXIST();
      factories[i].name = references[i]->name();
      factories[i].id = references[i]->identifier();
      factories[i].profile = references[i]->softwareProfile();
    });
  });
  sort_by_name(factories);
  return factories;
}

std::string failure_of(const IDL::traits<CF::Application>::ref_type& application) noexcept {
  ReadApplication read;
  read.reference = application;
  try {
    read_state(read);
  } catch (const CORBA::Exception&) {  // released meanwhile, or the domain has ended
  }
  return read.failure;
}

std::vector<ReadApplication> read_applications(const DomainClient::DomainRef& domain) {
  const auto references = domain->applications();
  std::vector<ReadApplication> applications(references.size());
  each_concurrently(references.size(), [&](std::size_t i) {
    applications[i].reference = references[i];
    read_object(applications[i], [&] { read_application(applications[i]); });
  });
  sort_by_name(applications);
  return applications;
}

DomainTree read_tree(const DomainClient::DomainRef& domain, const std::string& name) {
  DomainTree tree;
  tree.name = name;
  tree.id = domain->identifier();
  tree.profile = domain->domainManagerProfile();
  tree.nodes = read_nodes(domain);
  tree.installed = read_factories(domain);
  tree.applications = read_applications(domain);
  return tree;
}

}  // namespace orbweaver::sca
