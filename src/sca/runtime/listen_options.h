#pragma once

#include <string>
#include <vector>

namespace orbweaver::sca {

/// The ORB options that let the core framework call a component process, whatever its ORB is: if the naming
/// context of its command line (NAMING_CONTEXT_IOR, SCA 2.2.2, 3.1.3.3.3.2.5) is reachable over TCP, the
/// default endpoints and TCP at the address of this host from which the context is reached: loopback, for
/// one on this host. Empty if the command line has -ORBListen, or no such context. Connects to the naming
/// service, for at most five seconds.
std::vector<std::string> listen_options(const std::vector<std::string>& arguments);

}  // namespace orbweaver::sca
