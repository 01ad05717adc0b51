#pragma once

#include <cstdint>
#include <span>

#include "platform/fd.h"
#include "platform/socket.h"

/// Bytes of a regular file. Positions and sizes in bytes; errors are errno values. Any thread.
namespace orbweaver::platform {

/// Reads bytes at a position: fewer than wanted only at the end of the file, or with an error.
IoResult read_at(const Fd& file, std::span<std::uint8_t> buffer, std::uint64_t position) noexcept;

/// Writes all bytes at a position; with an error, possibly some of them. EFBIG beyond the size limit of files
/// (RLIMIT_FSIZE), without its signal and before anything is written.
IoResult write_at(const Fd& file, std::span<const std::uint8_t> bytes, std::uint64_t position) noexcept;

/// Returns an errno value.
int file_size(const Fd& file, std::uint64_t& size) noexcept;

/// Copies the bytes of a file, up to the size that it has when the copy begins, and its permissions to an
/// empty one. Returns an errno value.
int copy_contents(const Fd& from, const Fd& to);

}  // namespace orbweaver::platform
