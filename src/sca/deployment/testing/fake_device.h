#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "CFS.h"
#include "CosNamingC.h"
#include "sca/deployment/testing/fake_component41.h"
#include "sca/deployment/testing/fake_components.h"
#include "sca/deployment/testing/fake_own_component.h"

namespace orbweaver::sca::testing {

/// A device that starts FakeComponents in this process. A file named "/silent" does not register, "/impostor"
/// registers under the name of the component a, "/twice" binds another object to its name later, "/object"
/// registers something that is no component, "/factory" a FakeFactory, "/own" and "/own_earlier" a
/// FakeOwnComponent, which makes one connection of each call if it is "/own_half". Components with the exec
/// params of SCA 4.1 are registered by register_fake().
class FakeDevice final : public virtual CORBA::servant_traits<CF::ExecutableDevice>::base_type {
 public:
  /// Its components use the ORB `orb`, which is not that of the device: a component that hangs does not stop
  /// the device.
  FakeDevice(World& world, std::string name, TestOrb& orb)
      : world_(world), name_(std::move(name)), orb_(orb) {}

  bool allocateCapacity(const CF::Properties& capacities) override {
    const std::string text = name_ + " allocate " + text_of_properties(capacities);
    if (world_.fails(text)) return false;
    world_.call(text);
    world_.add(name_ + " " + text_of_properties(capacities));
    return true;
  }
  void deallocateCapacity(const CF::Properties& capacities) override {
    world_.call(name_ + " deallocate " + text_of_properties(capacities));
    if (!world_.remove(name_ + " " + text_of_properties(capacities)))
      throw CF::Device::InvalidCapacity("more than is allocated", capacities);
  }
  void load(IDL::traits<CF::FileSystem>::ref_type, const std::string& file,
            CF::LoadableDevice::LoadType) override {
    if (world_.fails(name_ + " load " + file))
      throw CF::LoadableDevice::LoadFail(CF::ErrorNumberType::CF_ENOSPC, "the cache is full");
    world_.call(name_ + " load " + file);
    world_.add(name_ + " file " + file);
  }
  void unload(const std::string& file) override {
    world_.call(name_ + " unload " + file);
    if (!world_.remove(name_ + " file " + file))
      throw CF::InvalidFileName(CF::ErrorNumberType::CF_ENOENT, "not loaded");
  }
  std::int32_t execute(const std::string& file, const CF::Properties& options,
                       const CF::Properties& parameters) override {
    std::map<std::string, std::string> values;
    for (const CF::DataType& each : parameters) values[each.id()] = text_of(each.value()).value();
    const std::string id = values["COMPONENT_IDENTIFIER"];
    values.erase("NAMING_CONTEXT_IOR");
    const std::string registry = values["COMPONENT_REGISTRY_IOR"];
    values.erase("COMPONENT_REGISTRY_IOR");
    const std::string call = name_ + " execute " + id.substr(0, id.find(':'));
    world_.call(call);
    std::int32_t process = 0;
    {
      const std::lock_guard lock(mutex_);
      process = ++last_process_;
      parameters_[id] = values;
      options_[id] = text_of_properties(options);
      registry_ = registry;
      executed_[process] = id;
    }
    const std::string thing = name_ + " process " + std::to_string(process);
    world_.add(thing);
    if (registry.empty()) {
      start(file, id, values["NAME_BINDING"], thing, parameters);
    } else if (file != "/silent") {
      register_fake(file, id, registry, world_, thing, orb_);
    }
    return process;
  }
  void terminate(std::int32_t process) override {
    world_.call(name_ + " terminate " + std::to_string(process));
    if (!world_.remove(name_ + " process " + std::to_string(process)))
      throw CF::ExecutableDevice::InvalidProcess(CF::ErrorNumberType::CF_ESRCH, "it has ended");
  }

  std::map<std::string, std::string> parameters(const std::string& id) {
    const std::lock_guard lock(mutex_);
    return parameters_[id];
  }
  std::string options(const std::string& id) {
    const std::lock_guard lock(mutex_);
    return options_[id];
  }

  /// The component registry of the last execution.
  std::string registry() {
    const std::lock_guard lock(mutex_);
    return registry_;
  }

  CF::Device::UsageType usageState() override { return CF::Device::UsageType::IDLE; }
  CF::Device::AdminType adminState() override { return CF::Device::AdminType::UNLOCKED; }
  void adminState(CF::Device::AdminType) override {}
  CF::Device::OperationalType operationalState() override { return CF::Device::OperationalType::ENABLED; }
  std::string softwareProfile() override { return {}; }
  std::string label() override { return name_; }
  IDL::traits<CF::AggregateDevice>::ref_type compositeDevice() override { return nullptr; }
  std::string identifier() override { return name_; }
  void initialize() override {}
  void releaseObject() override {}
  void runTest(std::uint32_t, CF::Properties&) override {}
  void configure(const CF::Properties&) override {}
  /// Has the properties `processes` and `loaded_files`, unless it is a foreign one.
  void query(CF::Properties& properties) override {
    world_.call(name_ + " query");
    if (is_foreign) throw CF::UnknownProperties(properties);
    for (CF::DataType& each : properties) {
      std::string text;
      if (each.id() == "processes") {
        const std::lock_guard lock(mutex_);
        for (const auto& [process, component] : executed_)
          text += std::to_string(process) + " " + component + "\n";
      } else {
        const std::string prefix = name_ + " file ";
        std::map<std::string, int> counts;
        for (const std::string& thing : world_.left())
          if (thing.starts_with(prefix)) ++counts[thing.substr(prefix.size())];
        for (const auto& [file, count] : counts) text += std::to_string(count) + " " + file + "\n";
      }
      each.value(any_of("string", text));
    }
  }
  std::atomic<bool> is_foreign{false};
  IDL::traits<CORBA::Object>::ref_type getPort(const std::string&) override {
    throw CF::PortSupplier::UnknownPort();
  }
  void start() override {}
  void stop() override {}

 private:
  void start(const std::string& file, const std::string& id, const std::string& binding,
             const std::string& process, const CF::Properties& parameters) {
    if (file == "/silent") return;
    std::string ior;
    parameters.front().value() >>= ior;
    const auto context = IDL::traits<CosNaming::NamingContext>::narrow(orb_.orb->string_to_object(ior));
    IDL::traits<CORBA::Object>::ref_type object;
    if (file == "/object") {
      object = orb_.poa->id_to_reference(
          orb_.poa->activate_object(CORBA::make_reference<FakePort>(world_, "object")));
    } else if (file == "/factory") {
      object = orb_.poa->id_to_reference(
          orb_.poa->activate_object(CORBA::make_reference<FakeFactory>(world_, id, process, orb_)));
    } else if (file.starts_with("/own")) {
      object = orb_.poa->id_to_reference(orb_.poa->activate_object(CORBA::make_reference<FakeOwnComponent>(
          world_, id, process, orb_, file == "/own_earlier", file == "/own_half" ? 1u : UINT32_MAX)));
    } else {
      object = orb_.poa->id_to_reference(
          orb_.poa->activate_object(CORBA::make_reference<FakeComponent>(world_, id, process, orb_)));
    }
    context->bind({CosNaming::NameComponent(file == "/impostor" ? "a_1" : binding, "")}, object);
    if (file != "/twice") return;
    context->rebind({CosNaming::NameComponent(binding, "")},
                    orb_.poa->id_to_reference(orb_.poa->activate_object(
                        CORBA::make_reference<FakeComponent>(world_, id, process, orb_))));
  }

  World& world_;
  const std::string name_;
  TestOrb& orb_;
  std::mutex mutex_;
  std::int32_t last_process_ = 0;
  std::map<std::string, std::map<std::string, std::string>> parameters_;
  std::map<std::string, std::string> options_;
  std::string registry_;
  std::map<std::int32_t, std::string> executed_;  // mutex_
};

}  // namespace orbweaver::sca::testing
