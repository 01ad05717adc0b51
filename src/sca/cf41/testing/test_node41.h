#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "CF41S.h"
#include "foreign_device41S.h"
#include "sca/cf222/testing/test_node.h"

namespace orbweaver::sca::testing {

/// A device of SCA 4.1 of a test: an executable one that executes nothing.
class TestDevice41 final : public virtual CORBA::servant_traits<foreign::Device41>::base_type {
 public:
  explicit TestDevice41(std::string id) : id_(std::move(id)) {}

  std::string identifier() override { return id_; }
  void initialize() override {}
  void releaseObject() override {}
  void configure(const CF::Properties&) override {}
  void query(CF::Properties& properties) override {
    if (!properties.empty()) throw CF::UnknownProperties(properties);
  }
  void connectUsesPorts(const CF::PortAccessor::Connections&) override {}
  void disconnectPorts(const CF::PortAccessor::Disconnections&) override {}
  void getProvidesPorts(CF::PortAccessor::Connections&) override {}
  CF::DeviceAttributes::OperationalType operationalState() override {
    return CF::DeviceAttributes::OperationalType::ENABLED;
  }
  CF::AdministratableInterface::AdminType adminState() override { return admin_; }
  void adminState(CF::AdministratableInterface::AdminType state) override { admin_ = state; }
  CF::CapacityManagement::UsageType usageState() override { return CF::CapacityManagement::UsageType::IDLE; }
  bool allocateCapacity(const CF::Properties&) override { return true; }
  void deallocateCapacity(const CF::Properties&) override {}
  void load(IDL::traits<CF::FileSystem>::ref_type, const std::string&,
            CF::LoadableInterface::LoadType) override {}
  void unload(const std::string&) override {}
  CF::ExecutableInterface::ExecutionID_Type execute(const std::string&, const CF::Properties&,
                                                    const CF::Properties&) override {
    return {};
  }
  void terminate(const CF::ExecutableInterface::ExecutionID_Type&) override {}

 private:
  const std::string id_;
  std::atomic<CF::AdministratableInterface::AdminType> admin_{
      CF::AdministratableInterface::AdminType::UNLOCKED};
};

/// A node of SCA 4.1 with an ORB of its own: to the domain manager it is another process, which ends with
/// this object. It has one device, and registers nothing by itself.
class TestNode41 {
 public:
  explicit TestNode41(std::string id) : id_(std::move(id)), orb_(std::make_unique<TestOrb>()) {
    write_device_profile(folder);
    files_ = make_file_system(folder.path().string(), orb_->poa);
    manager_ = activate(CORBA::make_reference<Manager>(*this));
    device = CORBA::make_reference<TestDevice41>(device_id());
    device_ = activate(device);
  }

  ~TestNode41() { hang(false); }

  /// Whether the device manager answers no question whether it exists.
  void hang(bool hangs) {
    hangs_ = hangs;
    hangs_.notify_all();
  }
  const std::string& id() const { return id_; }
  std::string device_id() const { return id_ + ".gpp"; }
  TestOrb& orb() { return *orb_; }

  /// What the device manager registers: itself, with its files and these components.
  CF::ComponentType manager(const CF::Components& components = {}) {
    return {id_,      {}, CF::ComponentEnumType::DEVICE_MANAGER_COMPONENT,
            manager_, {}, {info(CF::MANAGER_INFO_ID, CF::ManagerInfo(files_, components))}};
  }
  /// What the device registers: with two allocation properties, or with its profile.
  CF::ComponentType gpp(bool with_properties = true) {
    CF::ComponentType type{device_id(),
                           "/gpp.spd.xml",
                           CF::ComponentEnumType::EXECUTABLE_DEVICE_COMPONENT,
                           device_,
                           {},
                           {info(CF::DEVICE_MANAGER_ID, id_)}};
    if (!with_properties) return type;
    using Action = CF::PropertyActionType;
    const CF::AllocationProperties properties{
        {"os_name", {"Linux"}, Action::CF_EQ, CF::PropertyType::CF_STRING},
        {"waveform", {"am", "fm"}, Action::CF_EQ, CF::PropertyType::CF_STRING},
        {"memory", {}, Action::CF_EXTERNAL, CF::PropertyType::CF_ULONG}};
    type.specializedInfo().push_back(info(CF::ALLOCATION_PROPS_ID, properties));
    return type;
  }
  template <class T>
  static CF::DataType info(const std::string& id, const T& value) {
    CORBA::Any any;
    any <<= value;
    return {id, std::move(any)};
  }
  IDL::traits<CORBA::Object>::ref_type activate(
      const CORBA::servant_reference<PortableServer::Servant>& servant) {
    return orb_->poa->id_to_reference(orb_->poa->activate_object(servant));
  }

  TemporaryFolder folder;  ///< Of its file system.
  CORBA::servant_reference<TestDevice41> device;

 private:
  class Manager final : public virtual CORBA::servant_traits<CF::ReleasableManager>::base_type {
   public:
    explicit Manager(TestNode41& node) : node_(node) {}
    void shutdown() override {}
    bool _non_existent() override {
      node_.hangs_.wait(true);
      return false;
    }

   private:
    TestNode41& node_;
  };

  const std::string id_;
  std::atomic<bool> hangs_{false};
  std::unique_ptr<TestOrb> orb_;
  IDL::traits<CF::FileSystem>::ref_type files_;
  IDL::traits<CORBA::Object>::ref_type manager_, device_;
};

}  // namespace orbweaver::sca::testing
