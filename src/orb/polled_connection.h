#pragma once

#include <memory>
#include <thread>

#include "orb/reactor.h"
#include "orb/server_connection.h"

namespace orbweaver::orb {

/// A server's connection without a thread of its own: each turn serves the requests that have come.
///
/// A turn does not wait for a client that is slow to take its replies. What cannot be sent at once a thread that
/// is made for it sends, and the connection is parked until that is done: its next request waits, nobody else.
class PolledConnection final : public Source {
 public:
  PolledConnection(Core& core, Reactor& reactor, std::unique_ptr<transport::Channel> channel, const char* transport,
                   std::unique_ptr<ConnectionLimits::Admission> admission);
  ~PolledConnection() override;

  int descriptor() noexcept override { return connection_.channel().descriptor(); }
  After turn() noexcept override;
  void close_in_order(platform::Deadline patience) noexcept override { connection_.close_in_order(patience); }
  /// Once the reply that a thread still sends is taken, if there is one.
  void give_up(platform::Deadline patience) noexcept override;
  void end_if_stuck() noexcept override;

 private:
  After serve_turn();
  After send_later() noexcept;

  Reactor& reactor_;
  ServerConnection connection_;
  std::thread sender_;
  std::atomic<bool> sent_{true};  // by that thread
  // Of `end_if_stuck`.
  std::uint32_t seen_sending_ = 0;
  platform::Deadline patience_ = platform::Deadline::never();
};

/// An endpoint whose peers are let in by whichever thread has its turn.
class PolledEndpoint final : public Source {
 public:
  PolledEndpoint(Core& core, Reactor& reactor, transport::Transport& transport,
                 std::shared_ptr<transport::Acceptor> acceptor)
      : core_(core), reactor_(reactor), transport_(transport), acceptor_(std::move(acceptor)) {}

  int descriptor() noexcept override { return acceptor_->descriptor(); }
  After turn() noexcept override;
  void close_in_order(platform::Deadline) noexcept override { acceptor_->close(); }
  void give_up(platform::Deadline) noexcept override {}

 private:
  void serve(std::unique_ptr<transport::Channel> channel);

  Core& core_;
  Reactor& reactor_;
  transport::Transport& transport_;
  const std::shared_ptr<transport::Acceptor> acceptor_;
};

}  // namespace orbweaver::orb
