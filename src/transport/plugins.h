#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "transport/transport.h"

/// The transports of this process by name: built-in ones and those of plug-ins. Thread-safe.
namespace orbweaver::transport {

/// Plug-ins that have been loaded, and whose transports `commit` registers for this process. One thread at a
/// time.
class StagedPlugins {
 public:
  /// Loads a library permanently. A library whose transports are registered or staged is not loaded again.
  /// Errors: invalid if it cannot be loaded, is not a plug-in, was built for another contract version, or has
  /// a transport whose name is in use; none of its transports is staged then.
  Result<void> load(const std::string& path);
  /// The registered transports and the staged ones.
  std::vector<Transport*> all() const;
  /// Returns the transport of that name, staged or registered, or null.
  Transport* find(const std::string& name) const;
  /// As transport::known_names, with the staged ones.
  std::string known_names() const;
  /// Registers the staged transports. Errors: invalid if another thread has registered one of their names;
  /// none is registered then.
  Result<void> commit();

 private:
  struct Plugin {
    std::string path;
    std::vector<std::unique_ptr<Transport>> transports;
  };
  std::vector<Plugin> plugins_;
};

/// Loads one plug-in and registers its transports. Errors: as of StagedPlugins.
Result<void> load_plugin(const std::string& path);

/// Returns the transport of that name, or null.
Transport* find(const std::string& name);
/// All transports, the built-in ones first.
std::vector<Transport*> all();
/// Those whose endpoints have that form in references.
std::vector<Transport*> all_of(EndpointForm form);
/// All names, the built-in ones first: "inproc, shm, unix, mqueue, tcp, udp".
std::string known_names();

/// A plug-in that belongs to Orbweaver. Messages name its library where it is not loaded.
struct PluginLibrary {
  const char* transport;
  EndpointForm form;
  const char* library;
};
std::span<const PluginLibrary> plugin_libraries();

}  // namespace orbweaver::transport
