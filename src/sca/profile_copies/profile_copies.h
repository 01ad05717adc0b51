#pragma once

#include <orbweaver/result.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "CFC.h"

namespace orbweaver::sca {

/// Limits of the files that one profile names, directly or not: their number, and the sum of their sizes.
inline constexpr std::size_t kMaxProfileFiles = 1024;
inline constexpr std::uint64_t kMaxProfileBytes = 64u << 20;
/// Limit of the time after which no further file is read: each call of a file system may take seconds.
inline constexpr std::chrono::seconds kMaxProfileTime{120};

/// Copies a profile and all profiles that it names, not their code, from a file system to a folder of this
/// machine, which exists and has none of these files; each keeps its path. No symbolic link is followed out
/// of the folder, and no file replaced. Only the first has to exist; what the others lack is found when the
/// profiles are read. Blocks while the file system is called. Any thread. Errors: invalid for a name that is
/// none, or more files or octets than the limits; unavailable if the first one cannot be read, the folder
/// cannot be written, or `time` has passed. `missing`, if not null, becomes the first file that the file
/// system does not have.
Result<void> copy_profiles(const IDL::traits<CF::FileSystem>::ref_type& files, const std::string& name,
                           const std::filesystem::path& folder, std::string* missing = nullptr,
                           std::chrono::milliseconds time = kMaxProfileTime);

/// The path of a copy.
std::string path_of_copy(const std::string& name, const std::filesystem::path& folder);

/// Replaces paths in the folder by the names that the files have in the file system.
std::string without_folder(std::string text, const std::filesystem::path& folder);

}  // namespace orbweaver::sca
