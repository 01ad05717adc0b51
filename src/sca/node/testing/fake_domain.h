#pragma once

#include <orbweaver/services/event_service.h>
#include <orbweaver/services/log_service.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "CF41S.h"
#include "CFS.h"
#include "DomainC.h"
#include "StandardEventC.h"
#include "platform/testing/becomes_true.h"
#include "sca/files/testing/served_folder.h"
#include "services/naming/naming_context.h"

namespace orbweaver::sca::testing {

/// A domain manager that only counts what registers. Any thread.
class FakeDomainManager final : public virtual CORBA::servant_traits<CF::DomainManager>::base_type {
 public:
  using ManagerRef = IDL::traits<CF::DeviceManager>::ref_type;
  using DeviceRef = IDL::traits<CF::Device>::ref_type;
  using ObjectRef = IDL::traits<CORBA::Object>::ref_type;

  CF::DomainManager::DeviceManagerSequence deviceManagers() override {
    const std::lock_guard lock(mutex_);
    return {managers_.begin(), managers_.end()};
  }
  void registerDeviceManager(ManagerRef manager) override {
    if (ignores_nodes) return;
    const std::lock_guard lock(mutex_);
    managers_.push_back(std::move(manager));
  }
  void unregisterDeviceManager(ManagerRef manager) override {
    const std::lock_guard lock(mutex_);
    std::erase_if(managers_, [&](const auto& each) { return each->_is_equivalent(manager); });
  }
  void registerDevice(DeviceRef device, ManagerRef) override {
    const std::lock_guard lock(mutex_);
    if (timeouts_ > 0) {
      --timeouts_;
      throw CORBA::TIMEOUT(0, CORBA::CompletionStatus::COMPLETED_MAYBE);
    }
    if (!rejection_.empty())
      throw CF::DomainManager::RegisterError(CF::ErrorNumberType::CF_ENOSPC, rejection_);
    devices_.push_back(std::move(device));
  }
  void unregisterDevice(DeviceRef device) override {
    const std::lock_guard lock(mutex_);
    std::erase_if(devices_, [&](const auto& each) { return each->_is_equivalent(device); });
  }

  /// The next `times` calls of registerDevice() raise TIMEOUT, as a domain manager that replies too late.
  void time_out(int times) {
    const std::lock_guard lock(mutex_);
    timeouts_ = times;
  }
  /// From now on, registerDevice() raises RegisterError with this text.
  void reject_devices(const std::string& why) {
    const std::lock_guard lock(mutex_);
    rejection_ = why;
  }
  std::vector<ManagerRef> managers() {
    const std::lock_guard lock(mutex_);
    return managers_;
  }
  std::vector<DeviceRef> devices() {
    const std::lock_guard lock(mutex_);
    return devices_;
  }

  std::string domainManagerProfile() override { return {}; }
  CF::DomainManager::ApplicationSequence applications() override { return {}; }
  CF::DomainManager::ApplicationFactorySequence applicationFactories() override { return {}; }
  IDL::traits<CF::FileManager>::ref_type fileMgr() override { return nullptr; }
  std::string identifier() override { return "fake"; }
  void installApplication(const std::string&) override {}
  void uninstallApplication(const std::string&) override {}
  void registerService(ObjectRef, ManagerRef, const std::string&) override {}
  void unregisterService(ObjectRef, const std::string&) override {}
  void registerWithEventChannel(ObjectRef, const std::string&, const std::string&) override {}
  void unregisterFromEventChannel(const std::string&, const std::string&) override {}
  void configure(const CF::Properties&) override {}
  void query(CF::Properties&) override {}

  std::atomic<bool> ignores_nodes{false};  ///< registerDeviceManager() has no effect.

 private:
  std::mutex mutex_;
  std::vector<ManagerRef> managers_;
  std::vector<DeviceRef> devices_;
  std::string rejection_;  // empty: none
  int timeouts_ = 0;
};

/// A component registry of SCA 4.1 that keeps what registers, also what it rejects. Any thread.
class FakeRegistry final : public virtual CORBA::servant_traits<CF::FullComponentRegistry>::base_type {
 public:
  void registerComponent(const CF::ComponentType& component) override {
    const std::lock_guard lock(mutex_);
    components_.push_back(component);
    if (component.identifier() == rejected_)
      throw CF::ComponentRegistry::RegisterError(CF::ErrorNumberType::CF_EEXIST, "another one is registered");
  }
  void unregisterComponent(const std::string& identifier) override {
    const std::lock_guard lock(mutex_);
    unregistered_.push_back(identifier);
  }

  /// From now on, this identifier is rejected; empty: none is.
  void reject(const std::string& identifier) {
    const std::lock_guard lock(mutex_);
    rejected_ = identifier;
  }
  CF::Components components() {
    const std::lock_guard lock(mutex_);
    return components_;
  }
  std::vector<std::string> unregistered() {
    const std::lock_guard lock(mutex_);
    return unregistered_;
  }

 private:
  std::mutex mutex_;
  CF::Components components_;
  std::vector<std::string> unregistered_;
  std::string rejected_;
};

/// A naming service, in which a domain manager, its incoming channel and its log are bound in the context
/// orbweaver; and a file system.
class FakeDomain {
 public:
  FakeDomain() : log(orb.poa), events_(orb.poa), channel_(events_.create_channel()) {
    naming_ = naming::make_naming_service(orb.poa);
    naming_->bind_new_context({{"orbweaver", ""}});
    naming_->bind({{"orbweaver", ""}, {"IDM_Channel", ""}}, channel_.reference());
    naming_->bind({{"orbweaver", ""}, {"Log", ""}}, log.reference());
    subscription_ = channel_.subscribe([this](const CORBA::Any& event) {
      ::orbweaver::framework::ProcessEnded ended;
      StandardEvent::StateChangeEventType change;
      const std::lock_guard lock(mutex_);
      if (event >>= ended) ended_.push_back(ended);
      if (event >>= change) changes_.push_back(change);
    });
    files = make_file_system(folder.path().string(), orb.poa);
  }
  ~FakeDomain() { events_.shutdown(); }

  /// Begins a domain manager, and ends the one before.
  void begin() {
    end();
    manager = CORBA::make_reference<FakeDomainManager>();
    id_ = orb.poa->activate_object(manager);
    naming_->rebind({{"orbweaver", ""}, {"orbweaver", ""}}, orb.poa->id_to_reference(id_));
  }
  void end() {
    if (!manager) return;
    orb.poa->deactivate_object(id_);
    manager = nullptr;
  }
  /// Begins a registry of SCA 4.1, bound as orbweaver/DomainManager41.
  CORBA::servant_reference<FakeRegistry> begin_registry() {
    auto registry = CORBA::make_reference<FakeRegistry>();
    naming_->bind({{"orbweaver", ""}, {"DomainManager41", ""}},
                  orb.poa->id_to_reference(orb.poa->activate_object(registry)));
    return registry;
  }
  std::string naming() { return orb.orb->object_to_string(naming_); }
  IDL::traits<CORBA::Object>::ref_type resolve(const std::string& name) {
    return naming_->resolve({{name, ""}});
  }
  std::vector<::orbweaver::framework::ProcessEnded> ended() {
    const std::lock_guard lock(mutex_);
    return ended_;
  }
  /// The StateChangeEvents on the incoming channel.
  std::vector<StandardEvent::StateChangeEventType> changes() {
    const std::lock_guard lock(mutex_);
    return changes_;
  }
  /// Waits until the log has a record FAILURE_ALARM of this text.
  bool has_alarm(const std::string& text) {
    return platform::testing::becomes_true([&] {
      const auto records = log.read(0, 1000);
      return std::any_of(records.begin(), records.end(),
                         [&](const auto& each) { return each.level == 2 && each.data == text; });
    });
  }
  /// The only device, as an executable one.
  IDL::traits<CF::ExecutableDevice>::ref_type device() {
    return IDL::traits<CF::ExecutableDevice>::narrow(manager->devices().at(0));
  }
  /// Loads a program of the shell into the device, and executes it.
  std::int32_t execute(const std::string& script) {
    folder.write("program", "#!/bin/sh\n" + script + "\n");
    device()->load(files, "/program", CF::LoadableDevice::LoadType::EXECUTABLE);
    return device()->execute("/program", {}, {});
  }

  TestOrb orb;
  services::LightweightLog log;  ///< Bound as orbweaver/Log.
  TemporaryFolder folder;
  FileSystemRef files;
  CORBA::servant_reference<FakeDomainManager> manager;

 private:
  services::EventService events_;
  services::EventChannel channel_;  // of events_
  services::EventSubscription subscription_;
  IDL::traits<CosNaming::NamingContextExt>::ref_type naming_;
  PortableServer::ObjectId id_;
  std::mutex mutex_;
  std::vector<::orbweaver::framework::ProcessEnded> ended_;
  std::vector<StandardEvent::StateChangeEventType> changes_;
};

}  // namespace orbweaver::sca::testing
