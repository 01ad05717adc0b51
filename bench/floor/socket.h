// Raw stream sockets for the floors: one listener, one caller, all bytes or an exception.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <utility>

#include "bench/harness/subject.h"

namespace orbweaver::bench {

/// Owns a descriptor. Everything here throws std::system_error.
class Socket {
 public:
  explicit Socket(int fd);
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

/// Listens on what the case's transport says, tells where, waits for one caller.
Socket accept_one(const ServerSide&);
Socket connected(const ClientSide&);

/// `how`: MSG_DONTWAIT where the ends spin, 0 where they block.
void send_all(const Socket& to, const void* data, std::size_t bytes, int how);
/// At least one byte, at most `limit`; 0 at the end of the stream.
std::size_t receive_some(const Socket& from, void* data, std::size_t limit, int how);
/// False at the end of the stream.
bool receive_all(const Socket& from, void* data, std::size_t bytes, int how);

}  // namespace orbweaver::bench
