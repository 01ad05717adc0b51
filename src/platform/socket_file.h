#pragma once

#include <cstdint>
#include <string>

#include "platform/fd.h"
#include "platform/socket_address.h"

/// Unix sockets with a path in the file system. Any thread.
namespace orbweaver::platform {

/// Listens at `path`, whose file gets mode 0600. A stale socket, without a listener, is replaced. EADDRINUSE
/// if the socket has a listener, or if the file is not a socket.
FdResult listen_at_path(const std::string& path, const SocketAddress& address, int backlog) noexcept;

/// The identity of the file at a path; `inode` 0: no file.
struct FileIdentity {
  std::uint64_t device = 0, inode = 0;
};
/// Returns the identity of the file at `path`, without following a symbolic link.
FileIdentity file_identity(const std::string& path) noexcept;
/// Removes the file at `path` if it is still `file`, and has not been replaced by another process.
void remove_file(const std::string& path, const FileIdentity& file) noexcept;

/// The host name, as printed by `uname -n`.
std::string host_name();

}  // namespace orbweaver::platform
