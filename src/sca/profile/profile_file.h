#pragma once

#include <string>

namespace orbweaver::sca {

/// Reads the file of a profile. Throws ProfileError if it does not exist, is no regular file, cannot be read,
/// is empty or larger than kMaxProfileBytes. Any thread.
std::string read_profile(const std::string& path);

/// The same for the file `name`, relative to `folder`, which no name, symbolic link or concurrent change of
/// links leads out of: ProfileError. The folder itself is trusted. Messages name the file `path`.
std::string read_profile_in(const std::string& folder, const std::string& name, const std::string& path);

}  // namespace orbweaver::sca
