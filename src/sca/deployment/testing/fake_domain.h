#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "CFS.h"
#include "sca/deployment/deployment.h"
#include "sca/files/testing/served_folder.h"
#include "sca/runtime/property_any.h"
#include "services/naming/naming_context.h"

namespace orbweaver::sca::testing {

/// What the objects of a test have done, and what is left of it. Thread-safe.
class World {
 public:
  /// Records a call: "gpp_1 load /part". Throws the failure of the call if the test has asked for one.
  void call(const std::string& text) {
    std::unique_lock lock(mutex_);
    calls_.push_back(text);
    if (text == hanging_) released_.wait(lock, [this] { return hanging_.empty(); });
    if (text == failing_) throw CORBA::INTERNAL();
  }
  bool fails(const std::string& text) const {
    const std::lock_guard lock(mutex_);
    return text == failing_;
  }
  void fail(const std::string& text) {
    const std::lock_guard lock(mutex_);
    failing_ = text;
  }
  void hang(const std::string& text) {
    const std::lock_guard lock(mutex_);
    hanging_ = text;
  }
  void release_hanging() {
    const std::lock_guard lock(mutex_);
    hanging_.clear();
    released_.notify_all();
  }
  /// Something exists from now on ("process 7"), or does not any more.
  void add(const std::string& thing) {
    const std::lock_guard lock(mutex_);
    left_.insert(thing);
  }
  bool remove(const std::string& thing) {
    const std::lock_guard lock(mutex_);
    const auto found = left_.find(thing);
    if (found == left_.end()) return false;
    left_.erase(found);
    return true;
  }
  std::vector<std::string> left() const {
    const std::lock_guard lock(mutex_);
    return {left_.begin(), left_.end()};
  }
  std::vector<std::string> calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
  }
  /// The calls with one of these words, without repetitions in sequence, as the words only.
  std::vector<std::string> order(const std::vector<std::string>& words) const {
    std::vector<std::string> order;
    for (const std::string& call : calls()) {
      for (const std::string& word : words) {
        if (call.find(" " + word) == std::string::npos) continue;
        if (order.empty() || order.back() != word) order.push_back(word);
      }
    }
    return order;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable released_;
  std::vector<std::string> calls_;
  std::multiset<std::string> left_;
  std::string failing_, hanging_;
};

inline std::string text_of_properties(const CF::Properties& properties) {
  std::string text;
  for (const CF::DataType& each : properties) {
    const auto value = text_of(each.value());
    text += (text.empty() ? "" : ",") + each.id() + "=" + value.value_or("?");
  }
  return text;
}

class FakePort final : public virtual CORBA::servant_traits<CF::Port>::base_type {
 public:
  FakePort(World& world, std::string name) : world_(world), name_(std::move(name)) {}
  void connectPort(IDL::traits<CORBA::Object>::ref_type, const std::string& id) override {
    world_.call(name_ + " connect " + id);
    world_.add("connection " + id);
  }
  void disconnectPort(const std::string& id) override {
    world_.call(name_ + " disconnect " + id);
    if (!world_.remove("connection " + id)) throw CF::Port::InvalidPort(1, "no such connection");
  }

 private:
  World& world_;
  const std::string name_;
};

/// A component without code of Orbweaver.
class FakeComponent final : public virtual CORBA::servant_traits<CF::Resource>::base_type {
 public:
  FakeComponent(World& world, std::string id, std::string process, const TestOrb& orb)
      : world_(world), id_(std::move(id)), name_(id_.substr(0, id_.find(':'))), process_(std::move(process)),
        orb_(orb) {}
  std::string identifier() override { return id_; }
  void initialize() override {
    if (world_.fails(name_ + " initialize")) throw CF::LifeCycle::InitializeError({"no licence"});
    world_.call(name_ + " initialize");
  }
  void releaseObject() override {
    world_.call(name_ + " release");
    world_.remove(process_);
  }
  void runTest(std::uint32_t, CF::Properties&) override { throw CF::TestableObject::UnknownTest(); }
  void configure(const CF::Properties& properties) override {
    const std::string text = name_ + " configure " + text_of_properties(properties);
    for (const CF::DataType& each : properties) {
      if (each.id() == "bad") throw CF::PropertySet::PartialConfiguration({each});
    }
    world_.call(text);
  }
  void query(CF::Properties&) override {}
  IDL::traits<CORBA::Object>::ref_type getPort(const std::string& name) override {
    world_.call(name_ + " getPort " + name);
    const std::lock_guard lock(mutex_);
    auto& port = ports_[name];
    if (!port)
      port = orb_.poa->id_to_reference(
          orb_.poa->activate_object(CORBA::make_reference<FakePort>(world_, name_ + "." + name)));
    return port;
  }
  void start() override { world_.call(name_ + " start"); }
  void stop() override { world_.call(name_ + " stop"); }

 private:
  World& world_;
  const std::string id_, name_, process_;
  const TestOrb& orb_;
  std::mutex mutex_;
  std::map<std::string, IDL::traits<CORBA::Object>::ref_type> ports_;
};

/// A device that starts FakeComponents in this process. A file named "/silent" does not register, "/impostor"
/// registers under the name of the component a, "/object" registers something that is no component.
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
    const std::string call = name_ + " execute " + id.substr(0, id.find(':'));
    world_.call(call);
    std::int32_t process = 0;
    {
      const std::lock_guard lock(mutex_);
      process = ++last_process_;
      parameters_[id] = values;
      options_[id] = text_of_properties(options);
    }
    const std::string thing = name_ + " process " + std::to_string(process);
    world_.add(thing);
    start(file, id, values["NAME_BINDING"], thing, parameters);
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
  void query(CF::Properties&) override {}
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
    } else {
      object = orb_.poa->id_to_reference(
          orb_.poa->activate_object(CORBA::make_reference<FakeComponent>(world_, id, process, orb_)));
    }
    context->bind({CosNaming::NameComponent(file == "/impostor" ? "a_1" : binding, "")}, object);
  }

  World& world_;
  const std::string name_;
  TestOrb& orb_;
  std::mutex mutex_;
  std::int32_t last_process_ = 0;
  std::map<std::string, std::map<std::string, std::string>> parameters_;
  std::map<std::string, std::string> options_;
};

/// A domain with devices and components of another ORB in this process, so that time limits apply.
class FakeDomain final : public DeploymentDomain {
 public:
  explicit FakeDomain(std::size_t count = 1) {
    for (std::size_t i = 1; i <= count; ++i) {
      const std::string name = "gpp_" + std::to_string(i);
      servants.push_back(CORBA::make_reference<FakeDevice>(world, name, components));
      DeploymentDevice device;
      device.candidate.id = device.candidate.label = name;
      device.candidate.properties = {{"memory", "memory", "ulong", MatchAction::external, ""}};
      device.reference = own.use(IDL::traits<CF::Device>::narrow(
          nodes.poa->id_to_reference(nodes.poa->activate_object(servants.back()))));
      candidates.push_back(device);
    }
    root = IDL::traits<CosNaming::NamingContext>::narrow(naming::make_naming_service(own.poa));
  }
  ~FakeDomain() override { world.release_hanging(); }

  IDL::traits<CORBA::ORB>::ref_type orb() override { return own.orb; }
  std::vector<DeploymentDevice> devices() override { return candidates; }
  IDL::traits<CF::FileSystem>::ref_type files() override { return nullptr; }
  std::string file_name(const std::string& path) override {
    return path.starts_with("/dom/") ? path.substr(4) : "";
  }
  ObjectRef naming_context(const std::string& application) override {
    const CosNaming::Name name{CosNaming::NameComponent(application, "")};
    try {
      const auto context = root->bind_new_context(name);
      world.add("naming context");
      return context;
    } catch (const CosNaming::NamingContext::AlreadyBound&) {
      return root->resolve(name);
    }
  }
  void remove_naming_context(const std::string& application) noexcept override {
    try {
      root->unbind({CosNaming::NameComponent(application, "")});
      world.call("domain remove");
      world.remove("naming context");
    } catch (const CORBA::Exception&) {
    }
  }
  ObjectRef find_by_name(const std::string& name) override { return outside(name); }
  ObjectRef find_device_manager(const std::string& name) override { return outside(name); }
  ObjectRef find_service(const std::string& name) override { return outside(name); }
  ObjectRef domain_manager() override { return outside("domain"); }
  ObjectRef find_application(const std::string& name) override { return outside(name); }
  ObjectRef event_channel(const std::string& name) override { return outside(name); }
  ObjectRef find_log(const std::string& name) override { return outside(name); }
  void store(const Application& record) override {
    stored = record;
    if (++stores == failing_store) throw CORBA::PERSIST_STORE();
  }
  std::string process_end(const std::string& device, std::int64_t process) override {
    const std::lock_guard lock(mutex);
    const auto found = ends.find(device + " " + std::to_string(process));
    if (found != ends.end()) return found->second;
    const std::string thing = device + " process " + std::to_string(process);
    const auto left = world.left();
    return std::find(left.begin(), left.end(), thing) == left.end() ? "has ended" : "";
  }

  World world;
  TestOrb nodes, components, own;
  std::vector<CORBA::servant_reference<FakeDevice>> servants;
  std::vector<DeploymentDevice> candidates;
  IDL::traits<CosNaming::NamingContext>::ref_type root;
  std::map<std::string, ObjectRef> objects;  ///< What the functions find, by name.
  std::mutex mutex;
  std::map<std::string, std::string> ends;  // mutex
  Application stored;
  int stores = 0, failing_store = 0;

 private:
  ObjectRef outside(const std::string& name) {
    const auto found = objects.find(name);
    return found == objects.end() ? nullptr : found->second;
  }
};

/// Makes assemblies in memory: each component needs 64 of memory, has the ports in and out, and the property
/// `gain`.
class AssemblyBuilder {
 public:
  Assembly assembly;

  AssemblyBuilder& add(const std::string& id, const std::string& file = "/dom/part") {
    SoftwarePackage package;
    package.file = file + ".spd.xml";
    package.has_component = true;
    package.component.type = "resource";
    package.component.provides = {{"in", "IDL:test/In:1.0", {}}};
    package.component.uses = {{"out", "IDL:test/In:1.0", {}}};
    SimpleProperty gain;
    gain.id = "gain";
    gain.type = PropertyType::uint32;
    gain.configurable = true;
    gain.value = "1";
    package.properties.simple.push_back(gain);
    SimpleProperty mode = gain;
    mode.id = "mode";
    mode.type = PropertyType::string;
    mode.configurable = false;
    mode.exec_param = true;
    mode.value = "fast";
    package.properties.simple.push_back(mode);
    Implementation implementation;
    implementation.id = "linux";
    implementation.file = file;
    implementation.requirements = {{"memory", "64"}};
    package.implementations.push_back(implementation);
    Instantiation instantiation;
    instantiation.id = instantiation.name = instantiation.naming = id;
    instantiation.package = assembly.packages.size();
    assembly.packages.push_back(std::move(package));
    assembly.components.push_back(std::move(instantiation));
    return *this;
  }
  AssemblyBuilder& connect(std::size_t from, std::size_t to) {
    Connection connection;
    connection.id = "c" + std::to_string(assembly.connections.size() + 1);
    connection.uses = {from, "out"};
    connection.provides = {to, "in"};
    assembly.connections.push_back(std::move(connection));
    return *this;
  }
};

}  // namespace orbweaver::sca::testing
