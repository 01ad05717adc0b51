#pragma once

#include <string>
#include <vector>

namespace orbweaver::naming {

/// The references of a naming service that a client tries one after another: one for each address of a
/// corbaloc URL with several ("corbaloc::a,:b/NameService" names the hosts a and b), and otherwise the
/// reference itself. The ORB connects to the first address that accepts; a process there that hangs would
/// keep the client from the next one.
std::vector<std::string> service_addresses(const std::string& reference);

}  // namespace orbweaver::naming
