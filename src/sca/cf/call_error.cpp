#include "sca/cf/call_error.h"

#include <exception>
#include <vector>

#include "CF41C.h"
#include "CFC.h"

namespace orbweaver::sca {
namespace {

std::string joined(const std::vector<std::string>& sentences) {
  std::string all;
  for (const auto& s : sentences) all += (all.empty() ? "" : "; ") + s;
  return all.empty() ? "no reason given" : all;
}

std::string joined(const CF::Properties& properties) {
  std::vector<std::string> ids;
  for (const CF::DataType& property : properties) ids.push_back(property.id());
  return joined(ids);
}

std::string or_name(const std::string& message, const char* name) { return message.empty() ? name : message; }

/// Exceptions of devices; rethrows others.
std::string reason_of_device() {
  try {
    throw;
  } catch (const CF::Device::InvalidState& e) {
    return or_name(e.msg(), "the device is in a state in which it does not do this");
  } catch (const CF::Device::InvalidCapacity& e) {
    return or_name(e.msg(), "it has no such capacity");
  } catch (const CF::LoadableDevice::InvalidLoadKind&) {
    return "it does not load code of this kind";
  } catch (const CF::LoadableDevice::LoadFail& e) {
    return or_name(e.msg(), "LoadFail");
  } catch (const CF::ExecutableDevice::InvalidFunction&) {
    return "the file has no such function";
  } catch (const CF::ExecutableDevice::InvalidParameters& e) {
    return "it rejects the parameters " + joined(e.invalidParms());
  } catch (const CF::ExecutableDevice::InvalidOptions& e) {
    return "it rejects the options " + joined(e.invalidOpts());
  } catch (const CF::ExecutableDevice::ExecuteFail& e) {
    return or_name(e.msg(), "ExecuteFail");
  } catch (const CF::ExecutableDevice::InvalidProcess& e) {
    return or_name(e.msg(), "InvalidProcess");
  } catch (const CF::InvalidFileName& e) {
    return or_name(e.msg(), "InvalidFileName");
  } catch (const CF::FileException& e) {
    return or_name(e.msg(), "FileException");
  }
}

/// Exceptions of application factories; rethrows others.
std::string reason_of_factory() {
  try {
    return reason_of_device();
  } catch (const CF::ApplicationFactory::CreateApplicationError& e) {
    return or_name(e.msg(), "CreateApplicationError");
  } catch (const CF::ApplicationFactory::CreateApplicationRequestError& e) {
    std::vector<std::string> assignments;
    for (const CF::DeviceAssignmentType& each : e.invalidAssignments())
      assignments.push_back(each.componentId() + " on " + each.assignedDeviceId());
    return "it rejects the assignments " + joined(assignments);
  } catch (const CF::ApplicationFactory::InvalidInitConfiguration& e) {
    return "it rejects the properties " + joined(e.invalidProperties());
  }
}

/// Exceptions of domain managers; rethrows others.
std::string reason_of_manager() {
  try {
    return reason_of_factory();
  } catch (const CF::DomainManager::ApplicationInstallationError& e) {
    return or_name(e.msg(), "ApplicationInstallationError");
  } catch (const CF::DomainManager::ApplicationUninstallationError& e) {
    return or_name(e.msg(), "ApplicationUninstallationError");
  } catch (const CF::DomainManager::RegisterError& e) {
    return or_name(e.msg(), "RegisterError");
  } catch (const CF::DomainManager::UnregisterError& e) {
    return or_name(e.msg(), "UnregisterError");
  }
}

/// Exceptions of SCA 4.1; otherwise those of domain managers, application factories and devices.
std::string reason_of_41() {
  try {
    return reason_of_manager();
  } catch (const CF::ControllableInterface::StartError& e) {
    return or_name(e.msg(), "StartError");
  } catch (const CF::ControllableInterface::StopError& e) {
    return or_name(e.msg(), "StopError");
  } catch (const CF::PortAccessor::InvalidPort& e) {
    const auto& invalid = e.invalidConnections();
    return "it rejects connection '" + invalid.portConnectionId().connectionId() + "' of its port '" +
           invalid.portConnectionId().portName() + "' (error code " + std::to_string(invalid.errorCode()) +
           ")";
  } catch (const CF::ComponentFactory::CreateComponentFailure& e) {
    return or_name(e.msg(), "CreateComponentFailure");
  } catch (const CF::ComponentRegistry::RegisterError& e) {
    return or_name(e.msg(), "RegisterError");
  } catch (const CF::InvalidObjectReference& e) {
    return or_name(e.msg(), "InvalidObjectReference");
  }
}

}  // namespace

std::string reason_of_failed_call() {
  try {
    return reason_of_41();
  } catch (const CF::LifeCycle::InitializeError& e) {
    return joined(e.errorMessages());
  } catch (const CF::LifeCycle::ReleaseError& e) {
    return joined(e.errorMessages());
  } catch (const CF::Resource::StartError& e) {
    return e.msg();
  } catch (const CF::Resource::StopError& e) {
    return e.msg();
  } catch (const CF::Port::InvalidPort& e) {
    return e.msg();
  } catch (const CF::Port::OccupiedPort&) {
    return "the port takes no further connection";
  } catch (const CF::PortSupplier::UnknownPort&) {
    return "it has no such port, though its SCD declares it";
  } catch (const CF::UnknownProperties& e) {
    return "it has no such properties: " + joined(e.invalidProperties());
  } catch (const CF::PropertySet::InvalidConfiguration& e) {
    return e.msg();
  } catch (const CF::PropertySet::PartialConfiguration& e) {
    return "it rejects " + joined(e.invalidProperties());
  } catch (const CF::DomainManager::ApplicationAlreadyInstalled&) {
    return "the application is installed already";
  } catch (const CF::DomainManager::InvalidIdentifier&) {
    return "there is no installed application of this id";
  } catch (const CF::ResourceFactory::CreateResourceFailure& e) {
    return or_name(e.msg(), "CreateResourceFailure");
  } catch (const CF::ResourceFactory::InvalidResourceId&) {
    return "it has no resource of this id";
  } catch (const CF::ResourceFactory::ShutdownFailure& e) {
    return or_name(e.msg(), "ShutdownFailure");
  } catch (const std::exception& e) {
    return e.what();
  }
}

}  // namespace orbweaver::sca
