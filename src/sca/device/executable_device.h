#pragma once

#include <orbweaver/poa.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "CFS.h"
#include "sca/device/aggregate_device.h"
#include "sca/device/aggregate_device41.h"
#include "sca/device/code_cache.h"
#include "sca/device/component_processes.h"
#include "sca/device/control_group.h"
#include "sca/device/device_processes.h"
#include "sca/device/device_properties.h"
#include "sca/device/execute_options.h"
#include "sca/device/machine.h"
#include "sca/device/parts_lock.h"
#include "sca/device_state/device_core.h"

namespace orbweaver::sca {

/// Its capacities.
inline constexpr const char* kProcessors = "processors";
inline constexpr const char* kMemory = "memory_mb";
inline constexpr std::uint64_t kMegabyte = 1u << 20;

/// What makes an executable device.
struct DeviceOptions {
  std::string id;
  std::string label;
  std::string profile;  ///< File name of its SPD in the file system of its node.
  /// Capacities that it offers; 0: those of the machine.
  double processors = 0;
  std::uint64_t memory_mb = 0;
  std::string cache_folder;
  CodeCacheLimits cache;
  std::string host_program;  ///< Path of orbweaver-host, which loads shared libraries.
  int terminate_ms = 1000;   ///< Time that a process has to end after SIGTERM.
  bool has_parts = false;    ///< Other devices can be part of it: it has an AggregateDevice.
  bool limit_group = true;   ///< Its processes are put into control groups, if that is possible.
  bool round_robin = false;  ///< SCHED_RR for processes with a priority, unless execute() says otherwise.
};

/// What a device tells its surroundings. Functions are called by any thread, and must not wait long or call
/// the device.
struct DeviceEvents {
  /// A process has ended by itself.
  std::function<void(const DeviceProcesses::End&)> process_ended;
  std::function<void(const DeviceStateChange&)> state_changed;
  /// releaseObject() has ended everything: the device is to be unregistered, and its process to end.
  std::function<void()> released;
  /// An operation has failed: a text for the log.
  std::function<void(const std::string&)> failed;
  DeviceProcesses::Line line;
  /// The uses port `Log`; nil: the device has no ports.
  IDL::traits<CORBA::Object>::ref_type log_port;
};

/// Servant of a CF::ExecutableDevice that executes processes of this machine (SCA 2.2.2 3.1.3.3). The devices
/// that are part of it are locked, unlocked and released with it. Any thread.
class ExecutableDeviceServant final : public virtual CORBA::servant_traits<CF::ExecutableDevice>::base_type {
 public:
  using PoaRef = IDL::traits<PortableServer::POA>::ref_type;
  using AggregateRef = IDL::traits<CF::AggregateDevice>::ref_type;

  /// Raises CF::FileException if the cache folder cannot be used.
  ExecutableDeviceServant(const DeviceOptions& options, DeviceEvents events, const PoaRef& poa);
  ~ExecutableDeviceServant() override;

  // CF::Resource
  std::string identifier() override { return options_.id; }
  void initialize() override {}
  void releaseObject() override;
  void runTest(std::uint32_t testid, CF::Properties& testValues) override;
  void configure(const CF::Properties& configProperties) override;
  void query(CF::Properties& configProperties) override;
  /// There is one port, kSca41Port: the object of the device in SCA 4.1, if set_sca41_object() has set it.
  IDL::traits<CORBA::Object>::ref_type getPort(const std::string& name) override;
  void start() override {}
  void stop() override {}

  // CF::Device
  CF::Device::UsageType usageState() override;
  CF::Device::AdminType adminState() override;
  void adminState(CF::Device::AdminType state) override;
  CF::Device::OperationalType operationalState() override;
  std::string softwareProfile() override { return options_.profile; }
  std::string label() override { return options_.label; }
  /// Nil unless DeviceOptions::has_parts.
  AggregateRef compositeDevice() override { return aggregate_; }
  bool allocateCapacity(const CF::Properties& capacities) override;
  void deallocateCapacity(const CF::Properties& capacities) override;

  // CF::LoadableDevice
  void load(IDL::traits<CF::FileSystem>::ref_type fs, const std::string& fileName,
            CF::LoadableDevice::LoadType loadKind) override;
  void unload(const std::string& fileName) override;

  // CF::ExecutableDevice
  void terminate(std::int32_t processId) override;
  std::int32_t execute(const std::string& name, const CF::Properties& options,
                       const CF::Properties& parameters) override;

  // For the object of the device in SCA 4.1.

  /// Before the device is called.
  void set_sca41_object(IDL::traits<CORBA::Object>::ref_type object) { sca41_object_ = std::move(object); }
  IDL::traits<CF41::AggregateDevice>::ref_type parts41() const { return aggregate41_; }
  /// As read_execute_options().
  ExecuteOptions read_options(const CF::Properties& options) const;
  /// As execute().
  std::int32_t execute_with(const std::string& name, const ExecuteOptions& options,
                            const CF::Properties& parameters);

  /// Number of processes that run.
  std::size_t processes() const { return processes_->size(); }

 private:
  /// A process that several components share: orbweaver-host.
  struct SharedHost {
    DeviceProcesses::Process process;
    std::size_t components = 0;
  };

  std::vector<DeviceProperty> make_properties();
  void require_open() const;
  void require_unlocked() const;
  void process_ended(const DeviceProcesses::End& end);
  /// Notes the component that a process executes: that of the exec param COMPONENT_IDENTIFIER.
  void note_component(const CF::Properties& parameters, const DeviceProcesses::Process& process);
  std::string loaded_files_text() const;
  std::string limits_text() const;
  /// The control group for a process; empty: none. Writes to the log why what is allocated is not limited.
  std::string group_of(const ExecuteOptions& options);
  DeviceProcesses::Process start_process(const std::string& name, platform::SpawnRequest request,
                                         const ExecuteOptions& options);
  /// `environment` is that of the process if this is its first component.
  DeviceProcesses::Process start_in_host(const CodeCache::Code& code, const ExecuteOptions& options,
                                         std::vector<std::string> arguments,
                                         std::vector<std::string> environment);
  /// The environment by which a process finds ExecuteOptions::dependencies. Raises CF::InvalidFileName for
  /// one that is not loaded.
  std::vector<std::string> environment_of(const ExecuteOptions& options) const;

  const DeviceOptions options_;
  const DeviceEvents events_;
  const Machine machine_;  // when the device began: what does not change
  DeviceCore core_;
  CodeCache cache_;
  std::mutex groups_mutex_;              // for the groups of applications, until their processes are in them
  std::unique_ptr<ControlGroup> group_;  // groups_mutex_, except its path
  std::string group_problem_;            // why there is no group
  bool has_reported_problem_ = false;    // groups_mutex_
  DeviceProperties properties_;
  ComponentProcesses components_{
      [this](const DeviceProcesses::Process& process) { return processes_->runs(process); }};
  std::mutex hosts_mutex_;                   // serialises execution in shared processes
  std::map<std::string, SharedHost> hosts_;  // by collocation
  const CORBA::servant_reference<AggregateDeviceServant> parts_;
  AggregateRef aggregate_;  // of parts_
  PartsLock parts_lock_;
  const CORBA::servant_reference<AggregateDeviceServant41> parts41_;
  IDL::traits<CF41::AggregateDevice>::ref_type aggregate41_;  // of parts41_; nil: it has none
  IDL::traits<CORBA::Object>::ref_type sca41_object_;         // nil: it has none
  std::mutex release_mutex_;
  bool released_ = false;
  std::unique_ptr<DeviceProcesses> processes_;  // destroyed first: its thread uses the others
};

}  // namespace orbweaver::sca
