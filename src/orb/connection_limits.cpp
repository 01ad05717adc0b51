#include "orb/connection_limits.h"

#include <algorithm>

#include "base/contained.h"
#include "base/fair_room.h"
#include "base/log.h"
#include "orb/descriptor_shares.h"
#include "orb/server_connection.h"
#include "platform/clock.h"

namespace orbweaver::orb {
namespace {

constexpr std::int64_t kBetweenLogs_ns = 10'000'000'000;
constexpr std::int64_t kLongestInterval_ms = 2'500;

constexpr std::int64_t kPatienceWithDenied_ms = 5'000;

/// A quarter of the shortest of the times that are limits, so that none is exceeded by more.
std::int64_t interval_of(const Options& options) {
  std::int64_t shortest = 4 * kLongestInterval_ms;
  for (const std::int64_t ms : {options.idle_timeout_ms, options.handshake_timeout_ms,
                                options.message_timeout_ms, options.reply_timeout_ms, options.outgoing_idle_timeout_ms}) {
    if (ms != 0) shortest = std::min(shortest, ms);
  }
  return std::max<std::int64_t>(1, shortest / 4);
}

/// How long a peer that the access rules do not admit may take for its first request.
std::int64_t patience_with_denied_ms(const Options& options) {
  return options.handshake_timeout_ms == 0 ? kPatienceWithDenied_ms
                                           : std::min(kPatienceWithDenied_ms, options.handshake_timeout_ms);
}

}  // namespace

ConnectionLimits::ConnectionLimits(const Options& options, std::shared_ptr<ReceiveBudget> budget)
    : options_(options),
      budget_(std::move(budget)),
      service_(options.served_bytes(), options.reply_bytes()),
      interval_ms_(interval_of(options)) {}

ConnectionLimits::Admission::Admission(ConnectionLimits& limits, std::string peer, bool timed, bool allowed)
    : limits_(limits), peer_(std::move(peer)), timed_(timed), allowed_(allowed) {}

ConnectionLimits::Admission::~Admission() {
  const std::lock_guard lock(limits_.mutex_);
  if (!listed_) return;
  limits_.admissions_.erase(place_);
  if (!allowed_) --limits_.denied_;
  if (peer_.empty()) return;
  if (peer_.rfind("user ", 0) != 0) --limits_.remote_;
  const auto counted = limits_.by_peer_.find(peer_);
  if (--counted->second == 0) limits_.by_peer_.erase(counted);
}

void ConnectionLimits::Admission::watch(ServerConnection& connection) noexcept {
  const std::lock_guard lock(limits_.mutex_);
  if (timed_ || !allowed_) connection_ = &connection;
}

std::unique_ptr<ConnectionLimits::Admission> ConnectionLimits::admit(const transport::Transport& transport, const Peer& peer) {
  std::unique_ptr<Admission> admission;  // destroyed behind the lock
  const bool here = transport.reach() == transport::Reach::process;  // this process: not limited
  const bool allowed = here || options_.access->admits(peer);
  if (!allowed) {
    log::write_limited(log::Level::warn, "turned away", log::origin(peer), [&] {
      return std::string(transport.name()) + ": " + peer.address +
             (peer.subject.empty() ? "" : " (" + peer.subject + ")") +
             " is turned away: the access rules (-ORBAllow, -ORBDeny) do not admit it";
    });
  }
  const std::string counted = here || !allowed ? std::string() : counted_as(peer);
  const bool local = peer.uid >= 0;
  const std::lock_guard lock(mutex_);
  if (!here) {
    if (const std::string why = allowed ? refusal(local, counted) : refusal_of_denied(local); !why.empty()) {
      log_refusal(std::string(transport.name()) + " " + peer.address + ": " + why);
      return nullptr;
    }
  }
  admission.reset(new Admission(*this, counted, !here && transport.reliable(), allowed));
  std::list<Admission*> entry{admission.get()};
  if (!counted.empty()) {
    ++by_peer_[counted];
    if (!local) ++remote_;
  }
  if (!allowed) ++denied_;
  admission->place_ = entry.begin();
  admissions_.splice(admissions_.end(), entry);
  admission->listed_ = true;
  if (admissions_.size() == 1 && on_busy_) on_busy_();
  return admission;
}

bool ConnectionLimits::has_room(const transport::Transport& transport, const Peer& peer) {
  const std::lock_guard lock(mutex_);
  const std::string why = refusal(false, counted_as(peer));
  if (!why.empty()) log_refusal(std::string(transport.name()) + " " + peer.address + ": " + why);
  return why.empty();
}

/// Why one more is not let in; empty where it is. With the lock.
std::string ConnectionLimits::refusal(bool local, const std::string& peer) const {
  std::size_t all = 0;
  for (const auto& [each, count] : by_peer_) all += count;
  if (options_.max_connections != 0) {
    if (all >= options_.max_connections) {
      return "there are " + std::to_string(all) + " connections (-ORBMaxConnections)";
    }
    // A quarter is kept for the users of this host.
    const std::size_t for_remote = options_.max_connections - options_.max_connections / 4;
    if (!local && remote_ >= for_remote) {
      return "there are " + std::to_string(remote_) + " connections over networks, for which three quarters of " +
             std::to_string(options_.max_connections) + " are (-ORBMaxConnections)";
    }
  }
  const auto counted = by_peer_.find(peer);
  if (const std::size_t share = share_of_descriptors(options_);
      !local && counted != by_peer_.end() && counted->second >= share) {
    return peer + " has " + std::to_string(counted->second) +
           " connections, and one host may have half of the descriptors (ulimit -n, -ORBReservedDescriptors)";
  }
  if (options_.max_connections_per_peer != 0 && counted != by_peer_.end() &&
      counted->second >= options_.max_connections_per_peer) {
    return peer + " has " + std::to_string(counted->second) + " connections (-ORBMaxConnectionsPerPeer)";
  }
  return refusal_for_descriptors(local);
}

/// The same for one that is let in only to be told that it is not admitted. With the lock.
std::string ConnectionLimits::refusal_of_denied(bool local) const {
  if (denied_ >= kMostDenied) {
    return std::to_string(denied_) +
           " connections are open that the access rules (-ORBAllow, -ORBDeny) do not admit";
  }
  return refusal_for_descriptors(local);
}

std::string ConnectionLimits::refusal_for_descriptors(bool local) const {
  if (std::size_t left = 0; short_of_descriptors(options_, local, left)) {
    return "this process may open only " + std::to_string(left) + " more descriptors (-ORBReservedDescriptors, ulimit -n)";
  }
  return {};
}

/// With the lock.
void ConnectionLimits::log_refusal(const std::string& why) {
  ++refused_;
  const std::int64_t now = platform::now_ns();
  if (now < next_log_ns_) return;
  next_log_ns_ = now + kBetweenLogs_ns;
  log::warn("a connection is turned away: " + why +
            (refused_ == 1 ? "" : "; " + std::to_string(refused_) + " were since this was last logged"));
  refused_ = 0;
}

void ConnectionLimits::tell_what_descriptors_allow() const {
  const std::size_t most = platform::descriptor_limit(), others = most - kept_descriptors(options_);
  const std::size_t share = share_of_descriptors(options_), for_remote = options_.max_connections - options_.max_connections / 4;
  std::string less;
  const auto compare = [&less](const char* what, std::size_t allowed, const char* option, std::size_t wanted) {
    if (wanted != 0 && wanted <= allowed) return;
    less += (less.empty() ? "" : ", ") + std::to_string(allowed) + what + " (" + option + " " + std::to_string(wanted) + ")";
  };
  compare(" of one host", share, "-ORBMaxConnectionsPerPeer", options_.max_connections_per_peer);
  compare(" over networks", others, "three quarters of -ORBMaxConnections:", for_remote);
  if (less.empty()) return;
  log::info([&] {
    return "descriptors (ulimit -n " + std::to_string(most) + ") allow fewer connections than the options: " + less;
  });
}

void ConnectionLimits::look() noexcept {
  if (options_.message_timeout_ms != 0) budget_->end_late(options_.message_timeout_ms);
  const std::lock_guard lock(mutex_);
  const std::int64_t now = platform::now_ns();
  for (Admission* const admission : admissions_) {
    if (admission->connection_ == nullptr) continue;
    contained("an idle connection stays open", [&] {
      if (!admission->allowed_) {
        admission->connection_->close_if_denied(now, patience_with_denied_ms(options_) * 1'000'000);
        return;
      }
      admission->connection_->close_if_idle(now, options_.handshake_timeout_ms * 1'000'000,
                                            options_.idle_timeout_ms * 1'000'000);
      admission->connection_->end_if_not_taken(now, options_.reply_timeout_ms * 1'000'000);
    });
  }
}

bool ConnectionLimits::busy() const noexcept { return budget_->receiving() || connections() != 0; }

void ConnectionLimits::on_busy(std::function<void()> call) {
  if (options_.message_timeout_ms != 0) budget_->on_receiving(call);
  const std::lock_guard lock(mutex_);
  on_busy_ = std::move(call);
}

std::size_t ConnectionLimits::connections() const noexcept {
  const std::lock_guard lock(mutex_);
  return admissions_.size();
}

}  // namespace orbweaver::orb
