#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/receive_budget.h"
#include "orb/options.h"
#include "orb/server/service_budget.h"
#include "transport/transport.h"

namespace orbweaver::orb {

class ServerConnection;

/// Limits of incoming connections: number, idle time, unread replies (docs/options.md, "Server limits").
/// Thread-safe.
class IncomingConnections {
 public:
  /// `options` outlives this.
  IncomingConnections(const Options& options, std::shared_ptr<ReceiveBudget> budget);

  /// Registration of one connection, counted until its destruction.
  class Admission {
   public:
    ~Admission();
    Admission(const Admission&) = delete;
    Admission& operator=(const Admission&) = delete;
    /// Whether the access rules admit the peer. If not, the connection is not counted among the others, and
    /// only its first request is answered.
    bool is_admitted() const noexcept { return admitted_; }
    /// Enables the time limits of `connection`. The connection destroys the admission before itself. Any
    /// thread.
    void watch(ServerConnection& connection) noexcept;

   private:
    friend class IncomingConnections;
    enum class Kind : std::uint8_t { counted, replies_only };
    Admission(IncomingConnections& all, std::string peer, bool timed, bool allowed,
              Kind kind = Kind::counted);

    IncomingConnections& all_;
    const std::string peer_;  // key of by_peer_
    const bool timed_;
    const bool admitted_;
    const Kind kind_;
    ServerConnection* connection_ = nullptr;
    bool listed_ = false;
    std::list<Admission*>::iterator place_;
  };
  /// Registers a connection. Null if it is rejected, which is logged at a limited rate.
  std::unique_ptr<Admission> admit(const transport::Transport& transport, const Peer& peer);
  /// Registers a further server connection of an admitted channel, or one of a channel that this process has
  /// opened (bidirectional GIOP): it has the time limit of replies only, and is not counted.
  std::unique_ptr<Admission> limit_replies(const transport::Transport& transport);
  /// Whether another network connection from this address is within the limits. Used before authentication. A
  /// rejection is logged at a limited rate.
  bool has_room(const transport::Transport& transport, const Peer& peer);
  /// Maximum number of connections that the access rules do not admit and that wait for their first request.
  static constexpr std::size_t kMaxRejected = 16;

  /// Logs, at level info, which limits the number of descriptors reduces. Called by a server with network
  /// endpoints.
  void tell_what_descriptors_allow() const;

  ServiceBudget& service_budget() noexcept { return service_; }

  /// Closes the connections that have exceeded a time limit, and reports log lines that have been suppressed
  /// for a while, such as those of a burst of rejections. Called every `interval_ms` while `busy`.
  void enforce() noexcept;
  std::int64_t interval_ms() const noexcept { return interval_ms_; }
  bool busy() const noexcept;
  /// Sets a function that is called, under the locks of this class, when the first connection is registered
  /// or a partial message begins to arrive, including replies to clients. Set before the first connection;
  /// null: none.
  void on_busy(std::function<void()> call);

  std::size_t connections() const noexcept;

 private:
  void list(Admission& admission);
  std::string refusal(bool local, const std::string& peer) const;
  std::string refusal_for_descriptors(bool local) const;
  std::string refusal_of_rejected(bool local) const;

  const Options& options_;
  const std::shared_ptr<ReceiveBudget> budget_;
  ServiceBudget service_;
  const std::int64_t interval_ms_;
  std::function<void()> on_busy_;
  std::atomic<bool> has_unreported_lines_{false};

  mutable std::mutex mutex_;  // guards the rest
  std::list<Admission*> admissions_;
  std::size_t counted_ = 0;  // those that are not Kind::replies_only
  std::map<std::string, std::size_t> by_peer_;
  std::size_t remote_ = 0;    // network connections in by_peer_
  std::size_t rejected_ = 0;  // in admissions_, not admitted by the access rules
};

}  // namespace orbweaver::orb
