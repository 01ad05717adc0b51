#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/receive_budget.h"
#include "orb/options.h"
#include "orb/service_budget.h"
#include "transport/transport.h"

namespace orbweaver::orb {

class ServerConnection;

/// How many connections an ORB lets others make, and which it closes because nothing comes over them or no
/// reply is taken. docs/options.md has the limits under "Limits of a server". Thread-safe.
class ConnectionLimits {
 public:
  /// `options` outlives this.
  ConnectionLimits(const Options& options, std::shared_ptr<ReceiveBudget> budget);

  /// Counts one connection for as long as it lives.
  class Admission {
   public:
    ~Admission();
    Admission(const Admission&) = delete;
    Admission& operator=(const Admission&) = delete;
    /// Do the access rules admit the peer? Where not, it takes no place of another's, and its first request
    /// is all that is answered.
    bool allowed() const noexcept { return allowed_; }
    /// From now on `connection` is closed where nothing comes over it or no reply is taken. It destroys the
    /// admission before itself.
    void watch(ServerConnection& connection) noexcept;

   private:
    friend class ConnectionLimits;
    Admission(ConnectionLimits& limits, std::string peer, bool timed, bool allowed);

    ConnectionLimits& limits_;
    const std::string peer_;  // as it is counted
    const bool timed_;
    const bool allowed_;
    ServerConnection* connection_ = nullptr;
    bool listed_ = false;
    std::list<Admission*>::iterator place_;
  };
  /// Null where that peer has to be turned away, which is logged now and then.
  std::unique_ptr<Admission> admit(const transport::Transport& transport, const Peer& peer);
  /// Would one more connection over a network be within the limits, as far as its address tells? For a peer
  /// that still has to prove who it is. A refusal is logged now and then.
  bool has_room(const transport::Transport& transport, const Peer& peer);
  /// So many connections of peers that the access rules do not admit are kept until their first request.
  static constexpr std::size_t kMostDenied = 16;

  /// Logs, at the level info, which limits the descriptors make less than the options say. For a server over networks.
  void tell_what_descriptors_allow() const;

  ServiceBudget& service() noexcept { return service_; }

  /// Closes what is due. To be called every `interval_ms` while `busy`.
  void look() noexcept;
  std::int64_t interval_ms() const noexcept { return interval_ms_; }
  bool busy() const noexcept;
  /// Called, with a lock held that all of these take, when the first connection is there, or a message of any connection
  /// begins to arrive in parts, a client's replies among them. Set before any is; null: after the last.
  void on_busy(std::function<void()> call);

  std::size_t connections() const noexcept;

 private:
  std::string refusal(bool local, const std::string& peer) const;
  std::string refusal_for_descriptors(bool local) const;
  std::string refusal_of_denied(bool local) const;
  void log_refusal(const std::string& why);

  const Options& options_;
  const std::shared_ptr<ReceiveBudget> budget_;
  ServiceBudget service_;
  const std::int64_t interval_ms_;
  std::function<void()> on_busy_;

  mutable std::mutex mutex_;  // guards the rest
  std::list<Admission*> admissions_;
  std::map<std::string, std::size_t> by_peer_;
  std::size_t remote_ = 0;  // of peers that no user of this host is known to be
  std::size_t denied_ = 0;  // of admissions_, those that are not allowed
  std::size_t refused_ = 0;
  std::int64_t next_log_ns_ = 0;
};

}  // namespace orbweaver::orb
