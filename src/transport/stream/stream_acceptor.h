#pragma once

#include <atomic>
#include <functional>

#include "platform/descriptors.h"
#include "platform/socket.h"
#include "transport/transport.h"

namespace orbweaver::transport {

/// Connections that wait to be accepted, of a socket that clients of TCP or Unix sockets connect to.
inline constexpr int kListenBacklog = 1024;

/// A listening stream socket: of TCP, of Unix sockets, and of the rendezvous of local transports.
class StreamAcceptor final : public Acceptor {
 public:
  /// `accept_socket` creates the channel of a socket that is connected to a peer, or returns null for a
  /// rejected one. `closed` is called once, after listening has ended.
  using ChannelFactory =
      std::function<std::unique_ptr<Channel>(platform::Fd, const platform::SocketAddress& peer)>;
  StreamAcceptor(platform::Fd socket, std::string address, ChannelFactory accept_socket,
                 std::function<void()> closed = {})
      : socket_(std::move(socket)), address_(std::move(address)), make_channel_(std::move(accept_socket)),
        on_closed_(std::move(closed)), reserve_descriptor_(platform::spare_descriptor()) {}
  ~StreamAcceptor() override { StreamAcceptor::close(); }

  Result<std::unique_ptr<Channel>> accept() noexcept override;
  Result<std::unique_ptr<Channel>> try_accept() noexcept override;
  int descriptor() noexcept override { return socket_.get(); }
  void close() noexcept override;
  const std::string& address() const noexcept override { return address_; }

 private:
  std::unique_ptr<Channel> accept_socket(platform::Fd socket, const platform::SocketAddress& peer) noexcept;
  void out_of_descriptors() noexcept;

  const platform::Fd socket_;  // kept until the destructor: accept may still use the number
  const std::string address_;
  const ChannelFactory make_channel_;
  const std::function<void()> on_closed_;
  std::atomic<std::uint32_t> closed_{0};
  // Used by the accepting thread.
  // closed to accept and reject a connection when no other descriptor is left
  platform::Fd reserve_descriptor_;
  std::uint64_t rejected_count_ = 0;
  std::int64_t next_log_ns_ = 0;
};

}  // namespace orbweaver::transport
