#pragma once

#include <atomic>
#include <map>

#include "platform/poll_set.h"
#include "platform/timer_fd.h"
#include "tls/session.h"
#include "transport/transport.h"

namespace orbweaver::tls {

/// Acceptor of TLS connections. Performs all pending handshakes concurrently, in the accepting thread. A
/// pending connection is rejected after the handshake timeout, and the oldest one when there are kMaxPending,
/// or kMaxPendingPerHost of its host. Failures are logged.
class TlsAcceptor final : public transport::Acceptor {
 public:
  /// `contexts` outlives the acceptor.
  TlsAcceptor(platform::Fd socket, Contexts& contexts, Settings settings, ContextPtr context,
              const transport::ChannelOptions& options);
  ~TlsAcceptor() override;

  Result<std::unique_ptr<transport::Channel>> accept() noexcept override;
  Result<std::unique_ptr<transport::Channel>> try_accept() noexcept override;
  int descriptor() noexcept override { return set_.fd().get(); }
  void close() noexcept override;
  const std::string& address() const noexcept override { return address_; }

 private:
  static constexpr std::size_t kMaxPending = 256;
  static constexpr std::size_t kMaxPendingPerHost = 64;
  static constexpr std::uint64_t kListener = 0, kClosing = 1, kAlarm = 2, kFirst = 3;  // tags

  struct Handshake {
    platform::Fd socket;
    std::unique_ptr<Session> session;
    platform::SocketAddress from;
    std::string address;  // of `from`
    Deadline until;
    bool wants_room = false;
  };
  using PendingHandshakes = std::map<std::uint64_t, Handshake>;  // oldest first

  /// Makes progress on pending handshakes, waiting until the deadline; returns a channel as soon as one is
  /// ready, else null.
  Result<std::unique_ptr<transport::Channel>> progress(Deadline deadline) noexcept;
  void accept_socket();
  std::unique_ptr<transport::Channel> continue_handshake(std::uint64_t tag);
  void reject(PendingHandshakes::iterator one, const std::string& why);
  void reject_expired();

  platform::Fd socket_;  // kept until the destructor: accept may still use the number
  Contexts& contexts_;
  const Settings settings_;
  const transport::ChannelOptions options_;
  const std::string address_;
  platform::WakeupFd wake_;
  std::atomic<bool> closed_{false};
  platform::TimerFd alarm_;  // for the first entry of pending_
  platform::PollSet set_;
  bool cannot_wait_ = false;  // polling could not be set up

  // Of the accepting thread.
  ContextPtr context_;  // the newest one that was valid
  PendingHandshakes pending_;
  std::uint64_t last_tag_ = kFirst;
};

}  // namespace orbweaver::tls
