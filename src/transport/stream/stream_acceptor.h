#pragma once

#include <atomic>
#include <functional>

#include "platform/descriptors.h"
#include "platform/socket.h"
#include "transport/transport.h"

namespace orbweaver::transport {

/// A listening stream socket: TCP's, a Unix one, and those at which local roads meet.
class StreamAcceptor final : public Acceptor {
 public:
  /// `welcome` makes a channel of a connected socket, or null of one that is turned away. `closed` is called
  /// once, when nobody listens any more.
  using Welcome = std::function<std::unique_ptr<Channel>(platform::Fd)>;
  StreamAcceptor(platform::Fd socket, std::string address, Welcome welcome, std::function<void()> closed = {})
      : socket_(std::move(socket)),
        address_(std::move(address)),
        welcome_(std::move(welcome)),
        told_closed_(std::move(closed)),
        spare_(platform::spare_descriptor()) {}
  ~StreamAcceptor() override { StreamAcceptor::close(); }

  Result<std::unique_ptr<Channel>> accept() noexcept override;
  Result<std::unique_ptr<Channel>> try_accept() noexcept override;
  int descriptor() noexcept override { return socket_.get(); }
  void close() noexcept override;
  const std::string& address() const noexcept override { return address_; }

 private:
  std::unique_ptr<Channel> welcome(platform::Fd socket) noexcept;
  void out_of_descriptors() noexcept;

  const platform::Fd socket_;  // kept until the destructor: accept may still be using the number
  const std::string address_;
  const Welcome welcome_;
  const std::function<void()> told_closed_;
  std::atomic<std::uint32_t> closed_{0};
  // The accepting thread's.
  platform::Fd spare_;  // given back to accept, and turn away, a peer where there is no other descriptor
  std::uint64_t turned_away_ = 0;
  std::int64_t next_log_ns_ = 0;
};

}  // namespace orbweaver::transport
