#pragma once

#include <string>
#include <vector>

namespace orbweaver::sca {

/// The ORB options that let the core framework call a component process, whatever its ORB is: if the naming
/// context (NAMING_CONTEXT_IOR, SCA 2.2.2, 3.1.3.3.3.2.5) or component registry (COMPONENT_REGISTRY_IOR, SCA
/// 4.1) of its command line is reachable over TCP, the default endpoints and TCP at the address of this host
/// from which that object is reached: loopback, for one on this host. Empty if the command line has
/// -ORBListen, or no such object. Connects to it, for at most five seconds.
std::vector<std::string> listen_options(const std::vector<std::string>& arguments);

}  // namespace orbweaver::sca
