// CF::LoadableDevice and CF::ExecutableDevice operations of an executable device.
#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/printable.h"
#include "sca/device/code_paths.h"
#include "sca/device/executable_device.h"
#include "sca/files/file_error.h"
#include "sca/files/file_name.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

/// Components that have ended and are still noted, beside as many as there are processes.
constexpr std::size_t kEndedComponents = 64;

}  // namespace

void ExecutableDeviceServant::load(IDL::traits<CF::FileSystem>::ref_type fs, const std::string& fileName,
                                   CF::LoadableDevice::LoadType loadKind) {
  require_open();
  if (loadKind != CF::LoadableDevice::LoadType::EXECUTABLE &&
      loadKind != CF::LoadableDevice::LoadType::SHARED_LIBRARY)
    throw CF::LoadableDevice::InvalidLoadKind();
  if (!core_.begin_use()) throw CF::Device::InvalidState(core_.closed());
  try {
    cache_.load(fs, fileName, loadKind);
  } catch (...) {
    core_.end_use();
    throw;
  }
}

void ExecutableDeviceServant::unload(const std::string& fileName) {
  require_unlocked();
  cache_.unload(fileName);
  core_.end_use();
}

void ExecutableDeviceServant::terminate(std::int32_t processId) {
  require_unlocked();
  {
    // A process that several components share ends with the last of them.
    const std::lock_guard lock(hosts_mutex_);
    for (auto& [collocation, host] : hosts_) {
      if (host.process.pid != processId || host.components <= 1 || !processes_->runs(host.process)) continue;
      --host.components;
      return;
    }
  }
  if (!processes_->terminate(processId, options_.terminate_ms))
    throw CF::ExecutableDevice::InvalidProcess(CF::ErrorNumberType::CF_ESRCH,
                                               "the device executes no process " + std::to_string(processId));
}

std::int32_t ExecutableDeviceServant::execute(const std::string& name, const CF::Properties& options,
                                              const CF::Properties& parameters) {
  require_open();
  static_cast<void>(cache_.find(name));
  return execute_with(name, read_options(options), parameters);
}

ExecuteOptions ExecutableDeviceServant::read_options(const CF::Properties& options) const {
  return read_execute_options(options, machine_, options_.round_robin);
}

std::int32_t ExecutableDeviceServant::execute_with(const std::string& name, const ExecuteOptions& how,
                                                   const CF::Properties& parameters) {
  require_open();
  const CodeCache::Code code = cache_.find(name);
  std::vector<std::string> arguments = arguments_of(parameters);
  std::vector<std::string> environment = environment_of(how);
  DeviceProcesses::Process process;
  if (code.kind == CF::LoadableDevice::LoadType::SHARED_LIBRARY) {
    process = start_in_host(code, how, std::move(arguments), std::move(environment));
  } else {
    // A program is not called by functions.
    if (!how.entry_point.empty()) throw CF::ExecutableDevice::InvalidFunction();
    process =
        start_process(last_part_of(name), {code.path, std::move(arguments), std::move(environment)}, how);
  }
  note_component(parameters, process);
  return process.pid;
}

std::vector<std::string> ExecutableDeviceServant::environment_of(const ExecuteOptions& options) const {
  std::vector<CodeCache::LoadedFiles> dependencies;
  for (const std::string& name : options.dependencies) dependencies.push_back(cache_.files_of(name));
  auto environment = code_environment(dependencies);
  if (!environment)
    throw CF::ExecutableDevice::ExecuteFail(CF::ErrorNumberType::CF_EINVAL, environment.error().message);
  return std::move(*environment);
}

void ExecutableDeviceServant::note_component(const CF::Properties& parameters,
                                             const DeviceProcesses::Process& process) {
  for (const CF::DataType& each : parameters) {
    if (each.id() != "COMPONENT_IDENTIFIER") continue;
    if (const auto id = text_of(each.value()))
      components_.add(*id, process, 2 * processes_->size() + kEndedComponents);
  }
}

std::string ExecutableDeviceServant::loaded_files_text() const {
  std::string text;
  for (const auto& [name, count] : cache_.loaded_names())
    text += std::to_string(count) + " " + printable(name) + "\n";
  return text;
}

DeviceProcesses::Process ExecutableDeviceServant::start_in_host(const CodeCache::Code& code,
                                                                const ExecuteOptions& options,
                                                                std::vector<std::string> arguments,
                                                                std::vector<std::string> environment) {
  std::vector<std::string> module{"--module", code.path};
  if (!options.entry_point.empty()) module.insert(module.end(), {"--entry", options.entry_point});
  module.insert(module.end(), arguments.begin(), arguments.end());
  const std::string name = last_part_of(code.path);
  if (options.collocation.empty())
    return start_process(name, {options_.host_program, std::move(module), std::move(environment)}, options);

  const std::lock_guard lock(hosts_mutex_);
  std::erase_if(hosts_, [&](const auto& entry) { return !processes_->runs(entry.second.process); });
  const auto host = hosts_.find(options.collocation);
  if (host != hosts_.end()) {
    // The form that orbweaver-host reads from its standard input.
    std::string request = std::to_string(module.size()) + '\0';
    for (const std::string& word : module) request += word + '\0';
    const DeviceProcesses::Process process = host->second.process;
    const int error = processes_->write_input(process, request);
    if (error == 0) {
      ++host->second.components;
      return process;
    }
    // It has ended, or is about to: its components have been released.
    if (error != ESRCH && error != EPIPE)
      throw CF::ExecutableDevice::ExecuteFail(error_number(error),
                                              "process " + std::to_string(process.pid) + " of collocation '" +
                                                  options.collocation + "' does not take a component");
    hosts_.erase(host);
  }
  platform::SpawnRequest request{options_.host_program, {"--more"}, std::move(environment)};
  request.arguments.insert(request.arguments.end(), module.begin(), module.end());
  request.has_input = true;
  const DeviceProcesses::Process process = start_process(options.collocation, std::move(request), options);
  hosts_[options.collocation] = {process, 1};
  return process;
}

std::string ExecutableDeviceServant::group_of(const ExecuteOptions& options) {
  GroupLimits limits;
  if (!options.application.empty()) {
    const auto allocated = core_.allocated(options.application + "/");
    const auto amount = [&](const char* id) {
      const auto found = allocated.find(id);
      return found == allocated.end() ? 0 : found->second;
    };
    constexpr double kMost = 1e18;
    limits.memory_bytes =
        static_cast<std::uint64_t>(std::min(kMost, amount(kMemory) * static_cast<double>(kMegabyte)));
    limits.processors = amount(kProcessors);
  }
  std::string problem = group_problem_;
  if (group_) {
    auto folder = group_->application(options.application.empty() ? "others" : options.application, limits);
    if (folder) return std::move(*folder);
    problem = folder.error().message;
  }
  if (limits != GroupLimits() && !has_reported_problem_ && events_.failed) {
    has_reported_problem_ = true;
    events_.failed("memory and processor time are not limited to what applications have allocated: " +
                   problem);
  }
  return {};
}

DeviceProcesses::Process ExecutableDeviceServant::start_process(const std::string& name,
                                                                platform::SpawnRequest request,
                                                                const ExecuteOptions& options) {
  request.limits = options.limits;
  const std::lock_guard lock(groups_mutex_);
  request.limits.control_group = group_of(options);
  if (!core_.begin_use()) throw CF::Device::InvalidState(core_.closed());
  const DeviceProcesses::Started started = processes_->start(name, std::move(request));
  if (started.error == 0) return started.process;
  core_.end_use();
  throw CF::ExecutableDevice::ExecuteFail(error_number(started.error), name + ": " + started.message);
}

void ExecutableDeviceServant::process_ended(const DeviceProcesses::End& end) {
  core_.end_use();
  if (!end.expected && events_.process_ended) events_.process_ended(end);
}

}  // namespace orbweaver::sca
