#include "transport/tcp/sockets.h"

#include "transport/stream/connect_error_kind.h"
#include "transport/stream/stream_acceptor.h"
#include "transport/tcp/address.h"

namespace orbweaver::transport {
namespace {

using platform::Fd;
using platform::FdResult;
using platform::SocketAddress;

std::string quoted(const char* transport, const std::string& address) {
  return std::string(transport) + " address '" + address + "'";
}

}  // namespace

Result<Fd> listen_tcp(const char* transport, const std::string& address) {
  Result<std::vector<SocketAddress>> found =
      resolve_host_port(address.empty() ? "127.0.0.1:0" : address, transport, true);
  if (!found) return found.take_error();
  int error = 0;
  for (const SocketAddress& candidate : *found) {
    FdResult socket = platform::listen_on(candidate, kListenBacklog);
    if (socket) return std::move(socket.fd);
    if (error == 0) error = socket.error;
  }
  return Error{error == EADDRNOTAVAIL ? ErrorKind::invalid : ErrorKind::unavailable,
               "cannot listen on " + quoted(transport, address) + ": " + platform::error_text(error)};
}

Result<Fd> connect_tcp(const char* transport, const std::string& address, Deadline deadline) {
  Result<std::vector<SocketAddress>> found = resolve_host_port(address, transport, false, deadline);
  if (!found) return found.take_error();
  int error = 0;
  for (const SocketAddress& candidate : *found) {
    FdResult socket = platform::connect_to(candidate, deadline);
    // Without a listener, the port that the kernel chooses for this socket may be the one to be connected to:
    // TCP then connects the socket to itself.
    if (socket && platform::local_address(socket.fd).text() == platform::peer_address(socket.fd).text()) {
      socket = {Fd(), ECONNREFUSED};
    }
    if (socket) {
      platform::set_tcp_options(socket.fd);
      return std::move(socket.fd);
    }
    if (error == 0) error = socket.error;
  }
  return Error{connect_error_kind(error),
               "cannot connect to " + quoted(transport, address) + ": " + platform::error_text(error) +
                   (error == ECONNREFUSED ? " (no listener at this address)" : "")};
}

}  // namespace orbweaver::transport
