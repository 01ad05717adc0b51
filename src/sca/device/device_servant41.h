#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "Device41S.h"
#include "sca/device/executable_device.h"

namespace orbweaver::sca {

/// Servant of an executable device of SCA 4.1 (3.1.3.4): another object of an ExecutableDeviceServant, whose
/// states, files and processes it shows. It has no ports. Any thread.
class DeviceServant41 final : public virtual CORBA::servant_traits<framework::ExecutableDevice41>::base_type {
 public:
  explicit DeviceServant41(CORBA::servant_reference<ExecutableDeviceServant> device)
      : device_(std::move(device)) {}

  std::string identifier() override { return device_->identifier(); }
  void initialize() override { device_->initialize(); }
  void releaseObject() override { device_->releaseObject(); }
  bool started() override { return started_; }
  void start() override { started_ = true; }
  void stop() override { started_ = false; }
  void runTest(std::uint32_t testid, CF::Properties& testValues) override;
  void configure(const CF::Properties& configProperties) override { device_->configure(configProperties); }
  void query(CF::Properties& configProperties) override { device_->query(configProperties); }

  // Raise InvalidPort for the first connection.
  void connectUsesPorts(const CF::PortAccessor::Connections& portConnections) override;
  void disconnectPorts(const CF::PortAccessor::Disconnections& portDisconnections) override;
  void getProvidesPorts(CF::PortAccessor::Connections& portConnections) override;

  CF::DeviceAttributes::OperationalType operationalState() override;
  CF::AdministratableInterface::AdminType adminState() override;
  void adminState(CF::AdministratableInterface::AdminType state) override;
  CF::CapacityManagement::UsageType usageState() override;
  bool allocateCapacity(const CF::Properties& capacities) override;
  void deallocateCapacity(const CF::Properties& capacities) override;
  IDL::traits<CF41::AggregateDevice>::ref_type compositeDevice() override { return device_->parts41(); }

  void load(IDL::traits<CF::FileSystem>::ref_type fs, const std::string& fileName,
            CF::LoadableInterface::LoadType loadKind) override;
  void unload(const std::string& fileName) override;
  /// The options are those of CF::ExecutableDevice::execute(). A collocation in the process of the device
  /// (EXEC_DEVICE_PROCESS_SPACE) raises InvalidOptions. The result has no thread: 0.
  CF::ExecutableInterface::ExecutionID_Type execute(const std::string& filename,
                                                    const CF::Properties& options,
                                                    const CF::Properties& parameters) override;
  void terminate(const CF::ExecutableInterface::ExecutionID_Type& executionId) override;

 private:
  const CORBA::servant_reference<ExecutableDeviceServant> device_;
  std::atomic<bool> started_{false};
};

}  // namespace orbweaver::sca
