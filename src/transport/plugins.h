#pragma once

#include <span>
#include <string>
#include <vector>

#include "transport/transport.h"

/// The transports of this process by name: built-in ones and those of plug-ins. Thread-safe.
namespace orbweaver::transport {

/// Loads a plug-in library permanently and adds its transports. A library that is loaded already is not
/// loaded again.
/// Errors: invalid if it cannot be loaded, is not a plug-in, was built for another contract version, or has a
/// transport whose name is in use; none of its transports is added then.
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
