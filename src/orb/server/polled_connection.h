#pragma once

#include <memory>
#include <thread>

#include "orb/server/reactor.h"
#include "orb/server/server_connection.h"

namespace orbweaver::orb {

/// Server connection without a thread of its own: an event handler of the reactor, whose turns serve the
/// requests that have arrived.
///
/// Never blocks the reactor: a reply that cannot be sent at once is sent by a temporary thread, while the
/// connection is parked. Only its own next request waits. With -ORBThreads unordered:N a turn reads one
/// request, which is served after the turn.
class PolledConnection final : public EventHandler {
 public:
  /// `Descriptor::none`: the channel resumes the handler when there is input (SplitChannel::on_ready).
  enum class Descriptor : bool { of_channel, none };
  PolledConnection(Core& core, Reactor& reactor, std::unique_ptr<transport::Channel> channel,
                   const char* transport, std::unique_ptr<IncomingConnections::Admission> admission,
                   Descriptor descriptor = Descriptor::of_channel);
  ~PolledConnection() override;

  ServerConnection& connection() noexcept { return connection_; }
  int descriptor() noexcept override {
    return connection_.readiness() != nullptr ? connection_.readiness()->descriptor() : -1;
  }
  bool has_descriptor() const noexcept override { return descriptor_ == Descriptor::of_channel; }
  TurnResult handle_event() noexcept override;
  void run_detached() noexcept override { connection_.serve_detached(); }
  void close_orderly(platform::Deadline deadline) noexcept override { connection_.close_orderly(deadline); }
  /// See EventHandler. Waits for the thread of a deferred reply.
  void close_by(platform::Deadline deadline) noexcept override;
  void end_if_stuck() noexcept override;

 private:
  TurnResult serve_turn();
  TurnResult send_later() noexcept;

  Reactor& reactor_;
  const Descriptor descriptor_;
  ServerConnection connection_;
  std::thread sender_;
  std::atomic<bool> sent_{true};  // set by that thread
  // State of `end_if_stuck`.
  std::uint32_t seen_send_sequence_ = 0;
  platform::Deadline patience_ = platform::Deadline::never();
};

/// Acceptor of an endpoint, served by the reactor.
class PolledAcceptor final : public EventHandler {
 public:
  PolledAcceptor(Core& core, Reactor& reactor, transport::Transport& transport,
                 std::shared_ptr<transport::Acceptor> acceptor)
      : core_(core), reactor_(reactor), transport_(transport), acceptor_(std::move(acceptor)) {}

  int descriptor() noexcept override { return acceptor_->descriptor(); }
  TurnResult handle_event() noexcept override;
  void close_orderly(platform::Deadline) noexcept override { acceptor_->close(); }
  void close_by(platform::Deadline) noexcept override {}

 private:
  void serve(std::unique_ptr<transport::Channel> channel);

  Core& core_;
  Reactor& reactor_;
  transport::Transport& transport_;
  const std::shared_ptr<transport::Acceptor> acceptor_;
};

}  // namespace orbweaver::orb
