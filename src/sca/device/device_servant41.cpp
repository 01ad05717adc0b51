#include "sca/device/device_servant41.h"

#include <algorithm>
#include <limits>

namespace orbweaver::sca {
namespace {

using Accessor = CF::PortAccessor;
using Executable = CF::ExecutableInterface;

/// Error code of InvalidPort, as that of components (src/sca/runtime/component_core.h).
constexpr std::uint16_t kUnknownPort = 5;

[[noreturn]] void raise_unknown_port(const Accessor::ConnectionIdType& connection) {
  throw Accessor::InvalidPort(Accessor::ConnectionErrorType(connection, kUnknownPort));
}

/// Calls the device of 2.2.2, and raises the exceptions of 4.1.
template <class Call>
decltype(auto) as_in_41(Call call) {
  try {
    return call();
  } catch (const CF::Device::InvalidState& e) {
    throw CF::InvalidState(e.msg());
  } catch (const CF::Device::InvalidCapacity& e) {
    throw CF::CapacityManagement::InvalidCapacity(e.msg(), e.capacities());
  } catch (const CF::LoadableDevice::InvalidLoadKind&) {
    throw CF::LoadableInterface::InvalidLoadKind();
  } catch (const CF::LoadableDevice::LoadFail& e) {
    throw CF::LoadableInterface::LoadFail(e.errorNumber(), e.msg());
  } catch (const CF::ExecutableDevice::InvalidProcess& e) {
    throw Executable::InvalidProcess(e.errorNumber(), e.msg());
  } catch (const CF::ExecutableDevice::InvalidFunction&) {
    throw Executable::InvalidFunction();
  } catch (const CF::ExecutableDevice::InvalidParameters& e) {
    throw Executable::InvalidParameters(e.invalidParms());
  } catch (const CF::ExecutableDevice::InvalidOptions& e) {
    throw Executable::InvalidOptions(e.invalidOpts());
  } catch (const CF::ExecutableDevice::ExecuteFail& e) {
    throw Executable::ExecuteFail(e.errorNumber(), e.msg());
  }
}

/// Raises InvalidOptions for a collocation in the process of the device: it executes nothing in it.
void check_collocation(const ExecuteOptions& how, const CF::Properties& options) {
  if (how.collocation != Executable::EXEC_DEVICE_PROCESS_SPACE) return;
  CF::Properties invalid;
  for (const CF::DataType& option : options)
    if (is_collocation_option(option.id())) invalid.push_back(option);
  throw Executable::InvalidOptions(invalid);
}

}  // namespace

void DeviceServant41::runTest(std::uint32_t testid, CF::Properties& testValues) {
  try {
    device_->runTest(testid, testValues);
  } catch (const CF::TestableObject::UnknownTest&) {
    throw CF::TestableInterface::UnknownTest();
  }
}

void DeviceServant41::connectUsesPorts(const Accessor::Connections& portConnections) {
  if (!portConnections.empty()) raise_unknown_port(portConnections.front().portConnectionId());
}
void DeviceServant41::disconnectPorts(const Accessor::Disconnections& portDisconnections) {
  if (!portDisconnections.empty()) raise_unknown_port(portDisconnections.front());
}
void DeviceServant41::getProvidesPorts(Accessor::Connections& portConnections) {
  if (!portConnections.empty()) raise_unknown_port(portConnections.front().portConnectionId());
}

// The enumerators of both editions have the same order.

CF::DeviceAttributes::OperationalType DeviceServant41::operationalState() {
  return static_cast<CF::DeviceAttributes::OperationalType>(device_->operationalState());
}
CF::AdministratableInterface::AdminType DeviceServant41::adminState() {
  return static_cast<CF::AdministratableInterface::AdminType>(device_->adminState());
}
void DeviceServant41::adminState(CF::AdministratableInterface::AdminType state) {
  device_->adminState(static_cast<CF::Device::AdminType>(state));
}
CF::CapacityManagement::UsageType DeviceServant41::usageState() {
  return static_cast<CF::CapacityManagement::UsageType>(device_->usageState());
}

bool DeviceServant41::allocateCapacity(const CF::Properties& capacities) {
  return as_in_41([&] { return device_->allocateCapacity(capacities); });
}
void DeviceServant41::deallocateCapacity(const CF::Properties& capacities) {
  as_in_41([&] { device_->deallocateCapacity(capacities); });
}

void DeviceServant41::load(IDL::traits<CF::FileSystem>::ref_type fs, const std::string& fileName,
                           CF::LoadableInterface::LoadType loadKind) {
  as_in_41(
      [&] { device_->load(std::move(fs), fileName, static_cast<CF::LoadableDevice::LoadType>(loadKind)); });
}
void DeviceServant41::unload(const std::string& fileName) {
  as_in_41([&] { device_->unload(fileName); });
}

Executable::ExecutionID_Type DeviceServant41::execute(const std::string& filename,
                                                      const CF::Properties& options,
                                                      const CF::Properties& parameters) {
  return as_in_41([&] {
    const ExecuteOptions how = device_->read_options(options);
    check_collocation(how, options);
    const std::int32_t process = device_->execute_with(filename, how, parameters);
    return Executable::ExecutionID_Type(0, static_cast<std::uint64_t>(process), how.collocation,
                                        CF::ULongSeq(how.limits.cores.begin(), how.limits.cores.end()));
  });
}

void DeviceServant41::terminate(const Executable::ExecutionID_Type& executionId) {
  const std::uint64_t process = executionId.processId();
  if (process > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
    throw Executable::InvalidProcess(CF::ErrorNumberType::CF_ESRCH,
                                     "the device executes no process " + std::to_string(process));
  as_in_41([&] { device_->terminate(static_cast<std::int32_t>(process)); });
}

}  // namespace orbweaver::sca
