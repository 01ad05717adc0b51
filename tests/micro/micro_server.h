#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "giop/message.h"
#include "platform/process.h"
#include "testing/giop_builder.h"

namespace microtest {

using orbtest::Message;
using orbtest::Octets;
using orbtest::Order;
using orbweaver::giop::MessageType;

/// The path of micro-server: the first argument of the test program.
inline std::string& server_program() {
  static std::string path;
  return path;
}

/// A micro-server process. The destructor kills it.
class MicroServer {
 public:
  explicit MicroServer(const std::vector<std::string>& options = {}) {
    EXPECT_EQ(process_.spawn({server_program(), options, {}}), 0);
    orbweaver::platform::Poller poller;
    poller.add(process_.output());
    std::string printed;
    for (bool at_end = false; !at_end && printed.find('\n') == std::string::npos;) {
      if (!poller.wait(120'000)) break;
      printed += orbweaver::platform::read_available(process_.output(), at_end);
    }
    if (!printed.starts_with("IOR:")) return;
    reference = printed.substr(0, printed.find('\n'));
    where = orbtest::where(reference);
  }
  /// Waits for the end of the process; "exited with status 0".
  std::string wait_for_end() { return orbweaver::platform::describe(process_.reap()); }

  std::string reference;  ///< Empty if the server has not started.
  orbtest::Where where;

 private:
  orbweaver::platform::ChildProcess process_;
};

/// A TCP connection to the server, with messages as bytes.
class RawClient {
 public:
  explicit RawClient(const MicroServer& server) : key_(server.where.key) {
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server.where.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const timeval limit{120, 0};  // ends a hang
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  }
  ~RawClient() { close(fd_); }
  RawClient(const RawClient&) = delete;

  bool send(const Octets& bytes) const {
    return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  /// The next message; empty at the end of the connection.
  Octets receive() const {
    Octets message(orbweaver::giop::kHeaderBytes);
    orbweaver::giop::MessageHeader header;
    if (!receive_all(message.data(), message.size()) || !orbweaver::giop::read_header(message, header))
      return {};
    message.resize(header.message_bytes());
    if (!receive_all(message.data() + orbweaver::giop::kHeaderBytes, header.body_bytes)) return {};
    return message;
  }
  /// The type of the next message; empty at the end.
  std::string receive_type() const {
    const Octets message = receive();
    return message.empty() ? "" : to_string(static_cast<MessageType>(message[7]));
  }
  /// Whether the server closes the connection, after further messages.
  bool is_closed() const {
    errno = 0;
    while (!receive().empty()) {
    }
    return errno != EAGAIN;
  }
  /// Whether the server answers a call of `_get_value`.
  bool is_served() const {
    return send(orbtest::request(900, key_, "_get_value").bytes()) && receive_type() == "Reply";
  }
  const Octets& key() const { return key_; }
  int fd() const { return fd_; }

 private:
  bool receive_all(std::uint8_t* into, std::size_t bytes) const {
    return bytes == 0 || recv(fd_, into, bytes, MSG_WAITALL) == static_cast<ssize_t>(bytes);
  }

  const Octets key_;
  int fd_;
};

}  // namespace microtest
