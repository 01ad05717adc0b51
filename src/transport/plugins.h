#pragma once

#include <string>
#include <vector>

#include "transport/transport.h"

/// The transports of this process by name: the library's own, and those of plug-in libraries. Any thread.
namespace orbweaver::transport {

/// Loads a plug-in library, for good, and adds its transports. A library loaded before is not loaded again.
/// Fails with Remedy::mend where it cannot be loaded, is no plug-in, was built for another version of the
/// contract, or brings a name that is taken; none of its transports is kept then.
Result<void> load_plugin(const std::string& path);

/// The transport of that name, or null.
Transport* find(const std::string& name);
/// All names, the library's own first: "inproc, shm, unix, mqueue, tcp, udp".
std::string known_names();

}  // namespace orbweaver::transport
