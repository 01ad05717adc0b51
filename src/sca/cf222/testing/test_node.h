#pragma once

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "CFS.h"
#include "sca/files/testing/served_folder.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca::testing {

/// What a device or a component of a test has in common: an identifier, and properties that are strings.
template <class Interface>
class TestResource : public virtual CORBA::servant_traits<Interface>::base_type {
 public:
  explicit TestResource(std::string id) : id_(std::move(id)) {}

  std::string identifier() override { return id_; }
  void initialize() override { ++initialized; }
  void releaseObject() override { ++released; }
  bool _non_existent() override {
    on_existence();
    return false;
  }
  void start() override {
    if (fails) throw CF::Resource::StartError(CF::ErrorNumberType::CF_EIO, "no antenna");
    ++started;
  }
  void stop() override {
    if (fails) throw CF::Resource::StopError(CF::ErrorNumberType::CF_EIO, "the antenna turns");
    ++stopped;
  }
  /// The test 7 returns its values in reverse order.
  void runTest(std::uint32_t id, CF::Properties& values) override {
    if (id != 7) throw CF::TestableObject::UnknownTest();
    if (fails) throw CF::UnknownProperties(values);
    std::reverse(values.begin(), values.end());
  }
  IDL::traits<CORBA::Object>::ref_type getPort(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    const auto found = ports_.find(name);
    if (found == ports_.end()) throw CF::PortSupplier::UnknownPort();
    return found->second;
  }
  void set_port(const std::string& name, IDL::traits<CORBA::Object>::ref_type port) {
    const std::lock_guard lock(mutex_);
    ports_[name] = std::move(port);
  }
  void configure(const CF::Properties& properties) override {
    if (fails) throw CF::PropertySet::InvalidConfiguration("no antenna", properties);
    const std::lock_guard lock(mutex_);
    for (const CF::DataType& each : properties) values_[each.id()] = each.value();
  }
  void query(CF::Properties& properties) override {
    const std::lock_guard lock(mutex_);
    ++queries;
    if (rejects_one_property && !properties.empty()) throw CF::UnknownProperties({properties.front()});
    if (properties.empty())
      for (const auto& [id, value] : values_) properties.emplace_back(id, CORBA::Any());
    CF::Properties unknown;
    for (CF::DataType& each : properties) {
      const auto found = values_.find(each.id());
      if (found == values_.end()) {
        unknown.push_back(each);
      } else {
        each.value(found->second);
      }
    }
    if (!unknown.empty()) throw CF::UnknownProperties(unknown);
  }
  /// Sets a property.
  void set(const std::string& id, const std::string& type, const std::string& text) {
    configure({CF::DataType(id, any_of(type, text))});
  }

  /// Called by the question whether it exists.
  std::function<void()> on_existence = [] {};
  std::atomic<int> initialized{0}, started{0}, stopped{0}, released{0}, queries{0};
  std::atomic<bool> fails{false};                 ///< start(), stop(), runTest() and configure() do.
  std::atomic<bool> rejects_one_property{false};  ///< query() names one of those that are asked for.

 private:
  const std::string id_;
  std::mutex mutex_;
  std::map<std::string, CORBA::Any> values_;
  std::map<std::string, IDL::traits<CORBA::Object>::ref_type> ports_;
};

using TestComponent = TestResource<CF::Resource>;

/// A device of a test: an executable one that executes nothing.
class TestDevice final : public TestResource<CF::ExecutableDevice> {
 public:
  TestDevice(std::string id, std::string profile)
      : TestResource(std::move(id)), profile_(std::move(profile)) {}

  CF::Device::UsageType usageState() override { return CF::Device::UsageType::IDLE; }
  CF::Device::AdminType adminState() override {
    ++questions;
    on_question();
    if (fails_questions) throw CORBA::NO_PERMISSION();
    return admin_;
  }
  void adminState(CF::Device::AdminType value) override { admin_ = value; }
  CF::Device::OperationalType operationalState() override { return CF::Device::OperationalType::ENABLED; }
  std::string softwareProfile() override { return profile_; }
  std::string label() override { return "label of " + identifier(); }
  IDL::traits<CF::AggregateDevice>::ref_type compositeDevice() override { return nullptr; }
  bool allocateCapacity(const CF::Properties&) override { return true; }
  void deallocateCapacity(const CF::Properties&) override {}
  void load(IDL::traits<CF::FileSystem>::ref_type, const std::string&,
            CF::LoadableDevice::LoadType) override {}
  void unload(const std::string&) override {}
  void terminate(CF::ExecutableDevice::ProcessID_Type) override {}
  CF::ExecutableDevice::ProcessID_Type execute(const std::string&, const CF::Properties&,
                                               const CF::Properties& parameters) override {
    return on_execute(parameters);
  }

  std::atomic<int> questions{0};             ///< For its administrative state.
  std::atomic<bool> fails_questions{false};  ///< Such a question raises an exception.
  /// Called by such a question.
  std::function<void()> on_question = [] {};
  /// What execute() does.
  std::function<CF::ExecutableDevice::ProcessID_Type(const CF::Properties&)> on_execute =
      [](const CF::Properties&) { return -1; };

 private:
  const std::string profile_;
  std::atomic<CF::Device::AdminType> admin_{CF::Device::AdminType::UNLOCKED};
};

/// The SPD and PRF of the devices of a test.
inline void write_device_profile(const TemporaryFolder& folder) {
  folder.write(
      "gpp.spd.xml",
      "<softpkg id=\"DCE:gpp\" name=\"gpp\"><author/><propertyfile type=\"PRF\"><localfile "
      "name=\"xml/gpp.prf.xml\"/></propertyfile><implementation id=\"i\"><code "
      "type=\"Executable\"><localfile name=\"gpp\"/></code><os name=\"Linux\"/></implementation></softpkg>");
  folder.write("xml/gpp.prf.xml",
               "<properties><simple id=\"os_name\" type=\"string\"><value>Linux</value><kind "
               "kindtype=\"allocation\"/><action type=\"eq\"/></simple><simple id=\"memory\" "
               "type=\"ulong\"><value>100</value><kind kindtype=\"allocation\"/><action "
               "type=\"external\"/></simple><simple id=\"cores\" type=\"ulong\"><value>2</value><kind "
               "kindtype=\"allocation\"/><action type=\"ge\"/></simple></properties>");
}

/// The DCD of a node with one device and the service `clock`; `connections` is the content of its element
/// <connections>.
inline void write_dcd(const TemporaryFolder& folder, const std::string& device,
                      const std::string& connections = {}) {
  const auto package = [&](const std::string& name, const std::string& descriptor) {
    folder.write(name + ".spd.xml",
                 "<softpkg id=\"DCE:" + name + "\" name=\"" + name +
                     "\" type=\"sca_non_compliant\"><author/>" + descriptor +
                     "<implementation id=\"i\"><code type=\"Executable\"><localfile "
                     "name=\"part\"/></code><os name=\"Linux\"/></implementation></softpkg>");
  };
  package("part", "");
  package("clock", "<descriptor><localfile name=\"clock.scd.xml\"/></descriptor>");
  folder.write("clock.scd.xml",
               "<softwarecomponent><corbaversion>2.2</corbaversion><componentrepid "
               "repid=\"IDL:CF/PortSupplier:1.0\"/><componenttype>service</componenttype><componentfeatures>"
               "<ports/></componentfeatures><interfaces><interface repid=\"IDL:CF/PortSupplier:1.0\" "
               "name=\"PortSupplier\"/></interfaces></softwarecomponent>");
  const auto placement = [](const std::string& file, const std::string& id, const std::string& name) {
    return "<componentplacement><componentfileref refid=\"" + file + "\"/><componentinstantiation id=\"" +
           id + "\"><usagename>" + name + "</usagename></componentinstantiation></componentplacement>";
  };
  folder.write("node.dcd.xml",
               "<deviceconfiguration id=\"DCE:node\"><devicemanagersoftpkg><localfile name=\"part.spd.xml\"/>"
               "</devicemanagersoftpkg><componentfiles><componentfile id=\"part\" type=\"SPD\"><localfile "
               "name=\"part.spd.xml\"/></componentfile><componentfile id=\"clock\" type=\"SPD\"><localfile "
               "name=\"clock.spd.xml\"/></componentfile></componentfiles><partitioning>" +
                   placement("part", device, device) + placement("clock", "DCE:clock", "clock") +
                   "</partitioning>" +
                   (connections.empty() ? "" : "<connections>" + connections + "</connections>") +
                   "<domainmanager><namingservice name=\"orbweaver/orbweaver\"/></domainmanager>"
                   "</deviceconfiguration>");
}

/// A node of a test with an ORB of its own: to the domain manager it is another process, which ends with this
/// object.
class TestNode {
 public:
  explicit TestNode(std::string id, const std::vector<std::string>& names = {"gpp"})
      : id_(std::move(id)), orb_(std::make_unique<TestOrb>()) {
    write_device_profile(folder);
    write_dcd(folder, id_ + "/gpp");
    files_ = make_file_system(folder.path().string(), orb_->poa);
    for (const std::string& name : names)
      devices.push_back(CORBA::make_reference<TestDevice>(id_ + "/" + name, "/gpp.spd.xml"));
    for (const auto& device : devices)
      references_.push_back(IDL::traits<CF::Device>::narrow(activate(device)));
    manager_ = IDL::traits<CF::DeviceManager>::narrow(activate(CORBA::make_reference<Manager>(*this)));
  }

  const std::string& id() const { return id_; }
  TestOrb& orb() { return *orb_; }
  IDL::traits<CF::DeviceManager>::ref_type manager() { return manager_; }
  IDL::traits<CF::Device>::ref_type device(std::size_t i = 0) { return references_.at(i); }
  IDL::traits<CORBA::Object>::ref_type activate(
      const CORBA::servant_reference<PortableServer::Servant>& servant) {
    return orb_->poa->id_to_reference(orb_->poa->activate_object(servant));
  }

  TemporaryFolder folder;  ///< Of its file system.
  std::vector<CORBA::servant_reference<TestDevice>> devices;
  /// Time after which the device manager answers the next question whether it exists.
  std::atomic<std::chrono::milliseconds> late{std::chrono::milliseconds(0)};
  std::atomic<int> questions{0};  ///< Whether the device manager exists, that it has answered.

 private:
  class Manager final : public virtual CORBA::servant_traits<CF::DeviceManager>::base_type {
   public:
    explicit Manager(TestNode& node) : node_(node) {}
    std::string deviceConfigurationProfile() override { return "/node.dcd.xml"; }
    IDL::traits<CF::FileSystem>::ref_type fileSys() override { return node_.files_; }
    bool _non_existent() override {
      std::this_thread::sleep_for(node_.late.exchange(std::chrono::milliseconds(0)));
      ++node_.questions;
      return false;
    }
    std::string identifier() override { return node_.id_; }
    std::string label() override { return "label-of-" + node_.id_; }
    CF::DeviceSequence registeredDevices() override { return node_.references_; }
    CF::DeviceManager::ServiceSequence registeredServices() override { return {}; }
    void registerDevice(IDL::traits<CF::Device>::ref_type) override {}
    void unregisterDevice(IDL::traits<CF::Device>::ref_type) override {}
    void shutdown() override {}
    void registerService(IDL::traits<CORBA::Object>::ref_type, const std::string&) override {}
    void unregisterService(IDL::traits<CORBA::Object>::ref_type, const std::string&) override {}
    std::string getComponentImplementationId(const std::string&) override { return {}; }
    void configure(const CF::Properties&) override {}
    void query(CF::Properties&) override {}
    IDL::traits<CORBA::Object>::ref_type getPort(const std::string&) override {
      throw CF::PortSupplier::UnknownPort();
    }

   private:
    TestNode& node_;
  };

  const std::string id_;
  std::unique_ptr<TestOrb> orb_;
  IDL::traits<CF::FileSystem>::ref_type files_;
  CF::DeviceSequence references_;
  IDL::traits<CF::DeviceManager>::ref_type manager_;
};

}  // namespace orbweaver::sca::testing
