// States, capacities and properties of an executable device; executable_device_code.cpp has load and execute.
#include "sca/device/executable_device.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "platform/process.h"
#include "platform/process_identity.h"
#include "sca/cf/sca41_port.h"
#include "sca/device/failure_log.h"
#include "sca/own_device/device_allocation.h"
#include "sca/profile/property.h"

namespace orbweaver::sca {
namespace {

std::string text(double number) {
  char digits[64];
  const auto written = std::to_chars(digits, digits + sizeof digits, number);
  return {digits, written.ptr};
}

DeviceOptions with_capacities(DeviceOptions options, const Machine& machine) {
  if (options.processors <= 0) options.processors = machine.processors;
  if (options.memory_mb == 0) options.memory_mb = machine.memory_bytes / kMegabyte;
  return options;
}

}  // namespace

ExecutableDeviceServant::ExecutableDeviceServant(const DeviceOptions& options, DeviceEvents events,
                                                 const PoaRef& poa)
    : options_(with_capacities(options, read_machine())), events_(std::move(events)),
      machine_(read_machine()), core_(events_.state_changed),
      cache_(options_.cache_folder, poa, options_.cache, {{"orbweaver-host", options_.host_program}}),
      properties_(make_properties()), parts_(CORBA::make_reference<AggregateDeviceServant>(events_.failed)),
      aggregate_(!options_.has_parts ? nullptr
                                     : IDL::traits<CF::AggregateDevice>::narrow(
                                           poa->id_to_reference(poa->activate_object(parts_)))),
      parts_lock_(core_, *parts_), parts41_(CORBA::make_reference<AggregateDeviceServant41>(parts_)),
      aggregate41_(!options_.has_parts ? nullptr
                                       : IDL::traits<CF41::AggregateDevice>::narrow(
                                             poa->id_to_reference(poa->activate_object(parts41_)))) {
  core_.add_capacity(kProcessors, options_.processors);
  core_.add_capacity(kMemory, static_cast<double>(options_.memory_mb));
  if (options_.limit_group) {
    auto group = ControlGroup::create(static_cast<int>(platform::process_id()),
                                      {options_.memory_mb * kMegabyte, options_.processors});
    if (group) {
      group_ = std::move(*group);
    } else {
      group_problem_ = group.error().message;
    }
  } else {
    group_problem_ = "no control group was asked for";
  }
  processes_ = std::make_unique<DeviceProcesses>(
      events_.line, [this](const DeviceProcesses::End& end) { process_ended(end); });
}

ExecutableDeviceServant::~ExecutableDeviceServant() { processes_.reset(); }

std::vector<DeviceProperty> ExecutableDeviceServant::make_properties() {
  const auto constant = [](std::string value) { return [value] { return value; }; };
  return {
      {kProcessors, "double", [this] { return text(core_.left(kProcessors)); }, nullptr},
      {kMemory, "ulong", [this] { return text(std::floor(core_.left(kMemory))); }, nullptr},
      {"load_average", "double", [] { return text(read_machine().load); }, nullptr},
      {"real_time_priority", "ulong", constant(std::to_string(machine_.real_time_priority)), nullptr},
      {"os_name", "string", constant(machine_.system), nullptr},
      {"os_version", "string", constant(machine_.release), nullptr},
      {"processor_name", "string", constant(platform::machine_architecture()), nullptr},
      {"host_name", "string", constant(machine_.host), nullptr},
      {"application_groups", "boolean", constant("true"), nullptr},
      {"dependency_paths", "boolean", constant("true"), nullptr},
      {"limits", "string", [this] { return limits_text(); }, nullptr},
      {"processes", "string", [this] { return components_.text(); }, nullptr},
      {"loaded_files", "string", [this] { return loaded_files_text(); }, nullptr},
      {"cache_limit_mb", "ulong", [this] { return std::to_string(cache_.total_bytes() / kMegabyte); },
       [this](const std::string& value) {
         const auto megabytes = number_of(value);
         if (!megabytes || *megabytes < 0 || *megabytes > 4294967295.0) return false;
         cache_.set_total_bytes(static_cast<std::uint64_t>(*megabytes) * kMegabyte);
         return true;
       }},
  };
}

std::string ExecutableDeviceServant::limits_text() const {
  return group_ ? "memory and processor time by control group " + group_->path() +
                      ", and a group in it for what each application has allocated"
                : "memory and processor time are not limited: " + group_problem_;
}

void ExecutableDeviceServant::releaseObject() {
  // SCA 2.2.2 3.1.3.3.1.5.4: its parts first.
  parts_->release_all();
  parts41_->release_all();
  const std::lock_guard lock(release_mutex_);
  if (released_) return;
  // As many states as an observer expects: first no new use, then the end of all use.
  core_.command(AdminState::locked);
  processes_->terminate_all(options_.terminate_ms);
  core_.lock();
  released_ = true;
  if (events_.released) events_.released();
}

void ExecutableDeviceServant::runTest(std::uint32_t, CF::Properties&) {
  throw CF::TestableObject::UnknownTest();
}

void ExecutableDeviceServant::configure(const CF::Properties& configProperties) {
  properties_.configure(configProperties);
}

void ExecutableDeviceServant::query(CF::Properties& configProperties) { properties_.query(configProperties); }

IDL::traits<CORBA::Object>::ref_type ExecutableDeviceServant::getPort(const std::string& name) {
  if (events_.log_port && name == LogPort::kName) return events_.log_port;
  if (name == kSca41Port && sca41_object_) return sca41_object_;
  throw CF::PortSupplier::UnknownPort();
}

CF::Device::UsageType ExecutableDeviceServant::usageState() { return usage_of(core_); }

CF::Device::AdminType ExecutableDeviceServant::adminState() { return admin_of(core_); }

void ExecutableDeviceServant::adminState(CF::Device::AdminType state) {
  // SHUTTING_DOWN cannot be commanded (SCA 2.2.2 3.1.3.3.1.4.1).
  if (state == CF::Device::AdminType::SHUTTING_DOWN) return;
  const bool is_locked = state == CF::Device::AdminType::LOCKED;
  const bool was_unlocked = core_.admin() == AdminState::unlocked;
  is_locked ? parts_lock_.lock() : parts_lock_.unlock();
  // Its parts follow a change only, so that devices that are part of each other do not call without an end.
  if (is_locked == was_unlocked) parts41_->set_admin_state(state);
}

CF::Device::OperationalType ExecutableDeviceServant::operationalState() { return operational_of(core_); }

void ExecutableDeviceServant::require_open() const {
  if (const std::string why = core_.closed(); !why.empty()) throw CF::Device::InvalidState(why);
}

void ExecutableDeviceServant::require_unlocked() const {
  if (const std::string why = core_.locked(); !why.empty()) throw CF::Device::InvalidState(why);
}

bool ExecutableDeviceServant::allocateCapacity(const CF::Properties& capacities) {
  require_open();
  return allocate(core_, allocation_of(capacities, core_));
}

void ExecutableDeviceServant::deallocateCapacity(const CF::Properties& capacities) {
  require_unlocked();
  const DeviceAllocation allocation = allocation_of(capacities, core_);
  const auto remove_ended = [this] {
    if (!group_) return;
    const std::lock_guard lock(groups_mutex_);
    group_->remove_ended();
  };
  try {
    deallocate(core_, allocation, capacities);
  } catch (const CORBA::UserException&) {
    remove_ended();
    throw;
  }
  remove_ended();
}

}  // namespace orbweaver::sca
