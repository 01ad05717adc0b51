#pragma once

#include <cstdint>
#include <string>

#include "platform/fd.h"
#include "platform/socket_address.h"

/// Unix sockets that have a name in the file system. Any thread.
namespace orbweaver::platform {

/// Listens at `path`, with a file that only its owner may use (mode 0600). A socket there to which nobody
/// listens any more is replaced. EADDRINUSE where somebody does, or where the file is something else.
FdResult listen_at_file(const std::string& path, const SocketAddress& address, int backlog) noexcept;

/// Which file a path names at present; `inode` 0: none.
struct FileIdentity {
  std::uint64_t device = 0, inode = 0;
};
FileIdentity file_identity(const std::string& path) noexcept;
/// Removes the file, if the path still names it and not one that somebody else has put there since.
void remove_file(const std::string& path, const FileIdentity& file) noexcept;

/// The machine's own name, as `uname -n` tells it.
std::string machine_name();

}  // namespace orbweaver::platform
