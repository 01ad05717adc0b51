#pragma once

#include <string>

namespace orbweaver::platform {

/// Describes the permissions of a file of secrets if they are insecure: the file belongs to this user, and
/// its mode gives the group or others access ("its mode is 0644"). Empty if the mode is secure, if the file
/// belongs to another user, or if it cannot be examined. The rule is that of ssh for private keys.
std::string insecure_permissions_of(const std::string& path);

}  // namespace orbweaver::platform
