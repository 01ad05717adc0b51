#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "DomainC.h"
#include "sca/cf222/domain.h"
#include "sca/cf222/testing/test_node.h"
#include "services/naming/naming_service.h"

namespace orbweaver::sca::testing {

/// Records that survive the domain manager that writes them, and can be made to fail.
struct Disk {
  std::map<std::string, std::string> records;
  std::atomic<bool> full = false;
  std::atomic<bool> is_broken = false;  ///< A change throws std::runtime_error.
};

class DiskStore final : public state::RecordStore {
 public:
  explicit DiskStore(Disk& disk) : disk_(disk) {}
  Result<std::map<std::string, std::string>> read_all() override { return disk_.records; }
  Result<void> commit(const std::vector<state::RecordChange>& changes, Durability) override {
    if (disk_.is_broken) throw std::runtime_error("the disk is broken");
    if (disk_.full) return Error{ErrorKind::unavailable, "no space"};
    for (const state::RecordChange& change : changes) {
      disk_.records.erase(change.key);
      if (change.value) disk_.records[change.key] = *change.value;
    }
    return {};
  }

 private:
  Disk& disk_;
};

/// Deployments of one component, on the first device.
class TestDeployment {
 public:
  /// The components are activated in the ORB of this node.
  explicit TestDeployment(TestNode& node) : node_(node) {}

  DeploymentFunctions functions() {
    return {
        [this](const DeploymentRequest& request, DeploymentDomain& domain) {
          return deploy(request, domain);
        },
        [this](Application& record, DeploymentDomain&) {
          undeploying(record);
          const std::lock_guard lock(mutex_);
          undeployed.push_back(record.name);
          if (record.state != ApplicationState::orphaned) return left;
          record.components.clear();
          return std::vector<std::string>();
        },
        [this](const Application& record, DeploymentDomain& domain) { component(record, domain)->start(); },
        [this](const Application& record, DeploymentDomain& domain) { component(record, domain)->stop(); }};
  }

  /// Called before an application is deployed.
  std::function<void(const DeploymentRequest&, DeploymentDomain&)> asked = [](const DeploymentRequest&,
                                                                              DeploymentDomain&) {};
  /// Called with the record before it is stored.
  std::function<void(Application&)> changed = [](Application&) {};
  /// Called while an application is deployed, after its record has been stored.
  std::function<void(const Application&)> during = [](const Application&) {};
  /// Called after its state has become `stopped`, before its creation ends.
  std::function<void(const Application&)> deployed = [](const Application&) {};
  /// Called when an application is undeployed.
  std::function<void(const Application&)> undeploying = [](const Application&) {};
  std::vector<std::string> left;        ///< What an undeployment leaves.
  std::vector<std::string> undeployed;  ///< Names of applications.
  std::vector<CORBA::servant_reference<TestComponent>> components;

  std::vector<std::string> names_of_undeployed() {
    const std::lock_guard lock(mutex_);
    return undeployed;
  }

 private:
  Application deploy(const DeploymentRequest& request, DeploymentDomain& domain) {
    asked(request, domain);
    const auto devices = domain.devices();
    if (devices.empty())
      throw CF::ApplicationFactory::CreateApplicationError(CF::ErrorNumberType::CF_ENODEV, "no device");
    Application record;
    record.id = request.id;
    record.name = request.name;
    record.installed = request.installed;
    record.controller = "source_1:" + request.name;
    DeployedComponent component;
    component.id = record.controller;
    component.instantiation = "source_1";
    component.implementation = "x86";
    component.device = devices.front().candidate.id;
    component.process = 4711;
    component.binding = "source_1";
    const auto servant = CORBA::make_reference<TestComponent>(record.controller);
    component.reference = domain.orb()->object_to_string(node_.activate(servant));
    record.components.push_back(component);
    record.external_ports.push_back({"audio", component.id, "out"});
    record.external_properties.push_back({"volume", component.id, "gain"});
    changed(record);
    domain.store(record);
    {
      const std::lock_guard lock(mutex_);
      components.push_back(servant);
    }
    during(record);
    record.state = ApplicationState::stopped;
    domain.store(record);
    deployed(record);
    return record;
  }
  static IDL::traits<CF::Resource>::ref_type component(const Application& record, DeploymentDomain& domain) {
    return limited<CF::Resource>(domain.orb(), record.components.at(0).reference, kAttributeLimit);
  }

  TestNode& node_;
  std::mutex mutex_;
};

}  // namespace orbweaver::sca::testing
