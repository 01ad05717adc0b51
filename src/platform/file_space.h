#pragma once

#include <cstdint>
#include <string>

/// Space of files on their disk. Sizes in bytes; functions return errno values: ENOSPC or EDQUOT without
/// space, EOPNOTSUPP where the file system cannot allocate space before it is written. Any thread.
namespace orbweaver::platform {

/// Creates a file of that size with mode 0600 whose space is allocated, or allocates that of an existing one.
/// After an error there is no file.
int create_allocated(const std::string& path, std::uint64_t bytes) noexcept;

/// Allocates the space of that many bytes behind the end of a file, whose size and contents do not change.
int allocate_behind(const std::string& path, std::uint64_t bytes) noexcept;

/// Removes a file.
int remove_file(const std::string& path) noexcept;

}  // namespace orbweaver::platform
