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
#include "transport/transport.h"

namespace orbweaver::orb {

class ServerConnection;

/// How many connections an ORB lets others make, and which it closes because nothing comes over them. docs/options.md
/// has the limits under "Limits of a server". Thread-safe.
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
    /// From now on `connection` is closed where nothing comes over it. It destroys the admission before itself.
    void watch(ServerConnection& connection) noexcept;

   private:
    friend class ConnectionLimits;
    Admission(ConnectionLimits& limits, std::string peer, bool timed);

    ConnectionLimits& limits_;
    const std::string peer_;  // as it is counted
    const bool timed_;
    ServerConnection* connection_ = nullptr;
    bool listed_ = false;
    std::list<Admission*>::iterator place_;
  };
  /// Null where that peer has to be turned away, which is logged now and then.
  std::unique_ptr<Admission> admit(const transport::Transport& transport, const Peer& peer);

  /// Closes what is due. To be called every `interval_ms` while `busy`; 0: never.
  void look() noexcept;
  std::int64_t interval_ms() const noexcept { return interval_ms_; }
  bool busy() const noexcept;
  /// Called, with a lock held that all of these take, when the first connection is there. Set before any is.
  void on_busy(std::function<void()> call) { on_busy_ = std::move(call); }

  std::size_t connections() const noexcept;

 private:
  std::string refusal(bool local, const std::string& peer) const;
  void log_refusal(const std::string& why);

  const Options& options_;
  const std::shared_ptr<ReceiveBudget> budget_;
  const std::int64_t interval_ms_;
  std::function<void()> on_busy_;

  mutable std::mutex mutex_;  // guards the rest
  std::list<Admission*> admissions_;
  std::map<std::string, std::size_t> by_peer_;
  std::size_t remote_ = 0;  // of peers that no user of this host is known to be
  std::size_t refused_ = 0;
  std::int64_t next_log_ns_ = 0;
};

}  // namespace orbweaver::orb
