#include "sca/deployment/device_object.h"

#include <limits>
#include <stdexcept>
#include <utility>

#include "CF41C.h"

namespace orbweaver::sca {
namespace {

using CF::ExecutableInterface;
using CF::LoadableInterface;

/// The object, taken for a T without a call that would check it.
template <class T>
CORBA::object_reference<T> unchecked(const DeviceObject::Ref& object) {
  if (!object->_get_orb() || object->_reference() == nullptr) return IDL::traits<T>::narrow(object);
  return CORBA::object_reference<T>::adopt(T::_make(object->_reference()));
}

/// The object as a T; throws std::runtime_error if it is none.
template <class T>
CORBA::object_reference<T> checked(const DeviceObject::Ref& object, const char* name) {
  if (auto narrowed = IDL::traits<T>::narrow(object)) return narrowed;
  throw std::runtime_error("it is no " + std::string(name));
}

template <class T>
bool is(const DeviceObject::Ref& object) {
  return IDL::traits<T>::narrow(object) != nullptr;
}

/// Calls a device of 4.1, and raises the exceptions of 2.2.2.
template <class Call>
decltype(auto) as_in_222(Call call) {
  try {
    return call();
  } catch (const CF::InvalidState& e) {
    throw CF::Device::InvalidState(e.msg());
  } catch (const CF::CapacityManagement::InvalidCapacity& e) {
    throw CF::Device::InvalidCapacity(e.msg(), e.capacities());
  } catch (const LoadableInterface::InvalidLoadKind&) {
    throw CF::LoadableDevice::InvalidLoadKind();
  } catch (const LoadableInterface::LoadFail& e) {
    throw CF::LoadableDevice::LoadFail(e.errorNumber(), e.msg());
  } catch (const ExecutableInterface::InvalidProcess& e) {
    throw CF::ExecutableDevice::InvalidProcess(e.errorNumber(), e.msg());
  } catch (const ExecutableInterface::InvalidFunction&) {
    throw CF::ExecutableDevice::InvalidFunction();
  } catch (const ExecutableInterface::InvalidParameters& e) {
    throw CF::ExecutableDevice::InvalidParameters(e.invalidParms());
  } catch (const ExecutableInterface::InvalidOptions& e) {
    throw CF::ExecutableDevice::InvalidOptions(e.invalidOpts());
  } catch (const ExecutableInterface::ExecuteFail& e) {
    throw CF::ExecutableDevice::ExecuteFail(e.errorNumber(), e.msg());
  }
}

}  // namespace

DeviceObject::DeviceObject(Ref object, bool is_sca41) : object_(std::move(object)), is_sca41_(is_sca41) {
  if (!object_)
    throw CORBA::OBJECT_NOT_EXIST(0, CORBA::CompletionStatus::COMPLETED_NO, "its reference is nil");
}

CF::Device::AdminType DeviceObject::admin_state() const {
  if (!is_sca41_) return unchecked<CF::Device>(object_)->adminState();
  const auto device = IDL::traits<CF::AdministratableInterface>::narrow(object_);
  return device ? static_cast<CF::Device::AdminType>(device->adminState()) : CF::Device::AdminType::UNLOCKED;
}

CF::Device::OperationalType DeviceObject::operational_state() const {
  if (!is_sca41_) return unchecked<CF::Device>(object_)->operationalState();
  const auto device = IDL::traits<CF::DeviceAttributes>::narrow(object_);
  return device ? static_cast<CF::Device::OperationalType>(device->operationalState())
                : CF::Device::OperationalType::ENABLED;
}

CF::Device::UsageType DeviceObject::usage_state() const {
  if (!is_sca41_) return unchecked<CF::Device>(object_)->usageState();
  const auto device = IDL::traits<CF::CapacityManagement>::narrow(object_);
  return device ? static_cast<CF::Device::UsageType>(device->usageState()) : CF::Device::UsageType::IDLE;
}

void DeviceObject::query(CF::Properties& properties) const {
  if (!is_sca41_) return unchecked<CF::Device>(object_)->query(properties);
  if (const auto set = IDL::traits<CF::PropertySet>::narrow(object_)) return set->query(properties);
  if (!properties.empty()) throw CF::UnknownProperties(properties);
}

bool DeviceObject::has_capacities() const {
  return is_sca41_ ? is<CF::CapacityManagement>(object_) : is<CF::Device>(object_);
}
bool DeviceObject::loads() const {
  return is_sca41_ ? is<LoadableInterface>(object_) : is<CF::LoadableDevice>(object_);
}
bool DeviceObject::executes() const {
  return is_sca41_ ? is<ExecutableInterface>(object_) : is<CF::ExecutableDevice>(object_);
}

bool DeviceObject::allocate(const CF::Properties& capacities) const {
  if (!is_sca41_) return checked<CF::Device>(object_, "CF::Device")->allocateCapacity(capacities);
  const auto device = IDL::traits<CF::CapacityManagement>::narrow(object_);
  if (!device)
    throw CF::Device::InvalidCapacity("it has no capacities: it is no CF::CapacityManagement", capacities);
  return as_in_222([&] { return device->allocateCapacity(capacities); });
}

void DeviceObject::deallocate(const CF::Properties& capacities) const {
  if (!is_sca41_) return unchecked<CF::Device>(object_)->deallocateCapacity(capacities);
  as_in_222([&] { unchecked<CF::CapacityManagement>(object_)->deallocateCapacity(capacities); });
}

void DeviceObject::load(const FilesRef& files, const std::string& file,
                        CF::LoadableDevice::LoadType type) const {
  if (!is_sca41_) return checked<CF::LoadableDevice>(object_, "CF::LoadableDevice")->load(files, file, type);
  const auto device = checked<LoadableInterface>(object_, "CF::LoadableInterface");
  as_in_222([&] { device->load(files, file, static_cast<LoadableInterface::LoadType>(type)); });
}

void DeviceObject::unload(const std::string& file) const {
  if (!is_sca41_) return unchecked<CF::LoadableDevice>(object_)->unload(file);
  as_in_222([&] { unchecked<LoadableInterface>(object_)->unload(file); });
}

Executed DeviceObject::execute(const std::string& file, const CF::Properties& options,
                               const CF::Properties& parameters) const {
  Executed executed;
  if (!is_sca41_) {
    const auto device = checked<CF::ExecutableDevice>(object_, "CF::ExecutableDevice");
    executed.process = device->execute(file, options, parameters);
    return executed;
  }
  const auto device = checked<ExecutableInterface>(object_, "CF::ExecutableInterface");
  const auto id = as_in_222([&] { return device->execute(file, options, parameters); });
  if (id.processId() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) ||
      id.processCollocation().size() > kMaxCollocationBytes || id.cores().size() > kMaxCores) {
    as_in_222([&] { device->terminate(id); });
    throw std::runtime_error(
        "the ExecutionID_Type that it returned has a processId of 2^63 or more, a processCollocation of more "
        "than " +
        std::to_string(kMaxCollocationBytes) + " octets, or more than " + std::to_string(kMaxCores) +
        " cores");
  }
  executed.process = static_cast<std::int64_t>(id.processId());
  executed.execution = {id.threadId(), id.processCollocation(), id.cores()};
  return executed;
}

void DeviceObject::terminate(const Executed& executed) const {
  if (!is_sca41_)
    return unchecked<CF::ExecutableDevice>(object_)->terminate(static_cast<std::int32_t>(executed.process));
  const ExecutableInterface::ExecutionID_Type id(executed.execution.thread,
                                                 static_cast<std::uint64_t>(executed.process),
                                                 executed.execution.collocation, executed.execution.cores);
  as_in_222([&] { unchecked<ExecutableInterface>(object_)->terminate(id); });
}

}  // namespace orbweaver::sca
