#pragma once

#include <string>

namespace orbweaver::sca {

/// A new id of a package, an assembly or an application as SCA 2.2.2 has them: "DCE:" and a random UUID
/// (RFC 4122, version 4). Any thread. Throws std::exception if the system has no random numbers.
std::string new_id();

}  // namespace orbweaver::sca
