// Raw stream sockets for the floors: one listener, one caller. Sends and receives all bytes or throws.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <utility>

#include "bench/harness/subject.h"

namespace orbweaver::bench {

/// Owns a descriptor. All functions here throw std::system_error.
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

/// Listens on the case's transport, publishes the address, accepts one caller.
Socket accept_one(const ServerSide&);
Socket connected(const ClientSide&);

/// `how`: MSG_DONTWAIT if the ends spin, 0 if they block.
void send_all(const Socket& to, const void* data, std::size_t bytes, int how);
/// Receives at least one byte, at most `limit`; 0 at the end of the stream.
std::size_t receive_some(const Socket& from, void* data, std::size_t limit, int how);
/// False at the end of the stream.
bool receive_all(const Socket& from, void* data, std::size_t bytes, int how);

}  // namespace orbweaver::bench
