#pragma once

#include <string>

namespace orbweaver::platform {

/// Why a file of secrets is not safe: it is this user's, and its mode lets the group or others read or change it ("its
/// mode is 0644"). Empty where it is safe, belongs to another user, who answers for it, or cannot be looked at. As ssh
/// treats private keys.
std::string exposure_of_secret(const std::string& path);

}  // namespace orbweaver::platform
