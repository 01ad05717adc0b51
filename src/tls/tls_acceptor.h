#pragma once

#include <atomic>
#include <map>

#include "platform/alarm.h"
#include "platform/poll_set.h"
#include "tls/session.h"
#include "transport/transport.h"

namespace orbweaver::tls {

/// Listens, and shakes hands with all who come at the same time: none waits for another, and one who says
/// nothing is turned away when its time is over, or when kMostPending others have come, or kMostOfOneHost of
/// its own host. What goes wrong with one is logged.
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
  static constexpr std::size_t kMostPending = 256;
  static constexpr std::size_t kMostOfOneHost = 64;
  static constexpr std::uint64_t kListener = 0, kClosing = 1, kAlarm = 2, kFirst = 3;  // tags

  struct Pending {
    platform::Fd socket;
    std::unique_ptr<Session> session;
    std::string address;
    Deadline until;
    bool wants_room = false;
  };
  using Everybody = std::map<std::uint64_t, Pending>;  // the first has waited longest

  /// Does what there is to do, and waits for it until the deadline; a channel as soon as one is ready, else null.
  Result<std::unique_ptr<transport::Channel>> progress(Deadline deadline) noexcept;
  void welcome();
  std::unique_ptr<transport::Channel> go_on(std::uint64_t tag);
  void turn_away(Everybody::iterator one, const std::string& why);
  void turn_away_late();

  platform::Fd socket_;  // kept until the destructor: accept may still be using the number
  Contexts& contexts_;
  const Settings settings_;
  const transport::ChannelOptions options_;
  const std::string address_;
  platform::WakeUp wake_;
  std::atomic<bool> closed_{false};
  platform::Alarm alarm_;  // for whoever is first in pending_
  platform::PollSet set_;
  bool cannot_wait_ = false;  // since the beginning

  // The accepting thread's.
  ContextPtr context_;  // the newest that could be made
  Everybody pending_;
  std::uint64_t last_tag_ = kFirst;
};

}  // namespace orbweaver::tls
