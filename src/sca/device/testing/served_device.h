#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "platform/testing/becomes_true.h"
#include "sca/device/executable_device.h"
#include "sca/files/testing/served_folder.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca::testing {

inline CF::DataType property(const std::string& id, const std::string& type, const std::string& value) {
  return {id, any_of(type, value)};
}

/// A device of this process, and a file system with programs. `has_parts`: it is an aggregate device.
struct ServedDevice {
  explicit ServedDevice(bool has_parts = false) {
    DeviceOptions options;
    options.has_parts = has_parts;
    options.id = "device";
    options.label = "Device";
    options.profile = "/device.spd.xml";
    options.processors = 2;
    options.memory_mb = 512;
    options.cache_folder = folder.path("cache").string();
    options.limit_group = false;
    options.terminate_ms = 100'000;
    DeviceEvents events;
    events.process_ended = [this](const DeviceProcesses::End& end) {
      const std::lock_guard lock(mutex);
      ended.push_back(platform::describe(end.status));
    };
    events.line = [this](const std::string&, int, const std::string& line) {
      const std::lock_guard lock(mutex);
      lines.push_back(line);
    };
    events.released = [this] { released = true; };
    events.state_changed = [this](const DeviceStateChange& change) {
      const std::lock_guard lock(mutex);
      states.push_back(change.to);
    };
    events.failed = [this](const std::string& text) {
      const std::lock_guard lock(mutex);
      failures.push_back(text);
    };
    device = CORBA::make_reference<ExecutableDeviceServant>(options, std::move(events), orb.poa);
    files = make_file_system(source.path().string(), orb.poa);
  }

  /// Loads a program of the shell.
  void load(const std::string& name, const std::string& script) {
    source.write(name, "#!/bin/sh\n" + script + "\n");
    device->load(files, "/" + name, CF::LoadableDevice::LoadType::EXECUTABLE);
  }
  std::int32_t execute(const std::string& name, const CF::Properties& options = {},
                       const CF::Properties& parameters = {}) {
    return device->execute("/" + name, options, parameters);
  }
  bool prints(const std::string& line) {
    return platform::testing::becomes_true([&] {
      const std::lock_guard lock(mutex);
      return std::find(lines.begin(), lines.end(), line) != lines.end();
    });
  }
  bool reports(const std::string& end) {
    return platform::testing::becomes_true([&] {
      const std::lock_guard lock(mutex);
      return std::find(ended.begin(), ended.end(), end) != ended.end();
    });
  }

  TemporaryFolder source, folder;
  std::mutex mutex;
  std::vector<std::string> lines, ended, states, failures;
  std::atomic<bool> released = false;
  TestOrb orb;
  CORBA::servant_reference<ExecutableDeviceServant> device;
  IDL::traits<CF::FileSystem>::ref_type files;
};

}  // namespace orbweaver::sca::testing
