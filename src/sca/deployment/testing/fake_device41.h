#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "foreign_device41S.h"
#include "sca/deployment/testing/fake_domain.h"

namespace orbweaver::sca::testing {

/// A device of SCA 4.1 that does what a FakeDevice does, and has ports as a FakeComponent41. Its executions
/// have a thread, without which it terminates nothing, unless it is as a device of Orbweaver.
class FakeDevice41 final : public virtual CORBA::servant_traits<foreign::Device41>::base_type {
 public:
  using Accessor = CF::PortAccessor;

  FakeDevice41(CORBA::servant_reference<FakeDevice> device, World& world, const TestOrb& orb)
      : device_(std::move(device)),
        ports_(CORBA::make_reference<FakeComponent41>(world, device_->label(), "", orb)) {}

  std::string identifier() override { return device_->identifier(); }
  void initialize() override {}
  void releaseObject() override {}
  void configure(const CF::Properties&) override {}
  void query(CF::Properties& properties) override {
    if (is_ours) return device_->query(properties);
    if (!properties.empty()) throw CF::UnknownProperties(properties);
  }
  void connectUsesPorts(const Accessor::Connections& connections) override {
    ports_->connectUsesPorts(connections);
  }
  void disconnectPorts(const Accessor::Disconnections& ports) override { ports_->disconnectPorts(ports); }
  void getProvidesPorts(Accessor::Connections& connections) override {
    ports_->getProvidesPorts(connections);
  }
  CF::DeviceAttributes::OperationalType operationalState() override {
    return CF::DeviceAttributes::OperationalType::ENABLED;
  }
  CF::AdministratableInterface::AdminType adminState() override { return admin; }
  void adminState(CF::AdministratableInterface::AdminType state) override { admin = state; }
  CF::CapacityManagement::UsageType usageState() override {
    return CF::CapacityManagement::UsageType::ACTIVE;
  }
  bool allocateCapacity(const CF::Properties& capacities) override {
    return device_->allocateCapacity(capacities);
  }
  void deallocateCapacity(const CF::Properties& capacities) override {
    try {
      device_->deallocateCapacity(capacities);
    } catch (const CF::Device::InvalidCapacity& e) {
      throw CF::CapacityManagement::InvalidCapacity(e.msg(), e.capacities());
    }
  }
  void load(IDL::traits<CF::FileSystem>::ref_type files, const std::string& file,
            CF::LoadableInterface::LoadType) override {
    try {
      device_->load(std::move(files), file, CF::LoadableDevice::LoadType::EXECUTABLE);
    } catch (const CF::LoadableDevice::LoadFail& e) {
      throw CF::LoadableInterface::LoadFail(e.errorNumber(), e.msg());
    }
  }
  void unload(const std::string& file) override { device_->unload(file); }
  CF::ExecutableInterface::ExecutionID_Type execute(const std::string& file, const CF::Properties& options,
                                                    const CF::Properties& parameters) override {
    CF::ExecutableInterface::ExecutionID_Type id;
    for (const CF::DataType& option : options) {
      if (option.id() == CF::ExecutableInterface::PROCESS_COLLOCATION_ID)
        option.value() >>= id.processCollocation();
      if (option.id() == CF::ExecutableInterface::CORE_AFFINITY_ID) option.value() >>= id.cores();
    }
    id.processId(static_cast<std::uint64_t>(device_->execute(file, options, parameters)));
    id.threadId(kFirstThread + id.processId());
    if (returns_too_much) id.processCollocation(std::string(2000, 'x'));
    return id;
  }
  void terminate(const CF::ExecutableInterface::ExecutionID_Type& id) override {
    if (!is_ours && id.threadId() != kFirstThread + id.processId())
      throw CF::ExecutableInterface::ExecuteFail(CF::ErrorNumberType::CF_EINVAL, "not of this device");
    try {
      device_->terminate(static_cast<std::int32_t>(id.processId()));
    } catch (const CF::ExecutableDevice::InvalidProcess& e) {
      throw CF::ExecutableInterface::InvalidProcess(e.errorNumber(), e.msg());
    }
  }

  static constexpr std::uint64_t kFirstThread = 7000;
  std::atomic<CF::AdministratableInterface::AdminType> admin{
      CF::AdministratableInterface::AdminType::UNLOCKED};
  std::atomic<bool> is_ours{false}, returns_too_much{false};

 private:
  const CORBA::servant_reference<FakeDevice> device_;
  const CORBA::servant_reference<FakeComponent41> ports_;
};

/// Makes a device of the domain one of SCA 4.1.
inline CORBA::servant_reference<FakeDevice41> make_sca41(FakeDomain& domain, std::size_t device) {
  auto servant = CORBA::make_reference<FakeDevice41>(domain.servants.at(device), domain.world, domain.nodes);
  domain.candidates.at(device).reference = domain.own.use<CORBA::Object>(
      domain.nodes.poa->id_to_reference(domain.nodes.poa->activate_object(servant)));
  domain.candidates.at(device).is_sca41 = true;
  return servant;
}

}  // namespace orbweaver::sca::testing
