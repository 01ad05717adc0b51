#pragma once

#include <string>

namespace orbweaver::sca {

/// The folder in which a device keeps its code unless it is told another one: below $XDG_CACHE_HOME or
/// ~/.cache; its name contains the id of the device as far as file names permit. Empty if the environment
/// names neither: no folder with a name that other users know is safe in one to which they can write.
std::string default_cache_folder(const std::string& device_id);

/// Creates a folder, and those above it, if they do not exist. Raises CF::FileException if that fails, or if
/// another user could exchange what the folder contains (platform::insecure_path_of): the device executes it.
void make_cache_folder(const std::string& folder);

}  // namespace orbweaver::sca
