#include "orb/server/incoming_connections.h"

#include <algorithm>

#include "base/catch_and_log.h"
#include "base/fair_eviction.h"
#include "base/log.h"
#include "base/peer_address.h"
#include "orb/descriptor_shares.h"
#include "orb/server/server_connection.h"
#include "platform/clock.h"

namespace orbweaver::orb {
namespace {

constexpr std::int64_t kLongestInterval_ms = 2'500;

constexpr std::int64_t kRejectedTimeout_ms = 5'000;

/// Interval of `enforce`: a quarter of the shortest time limit, so that no limit is exceeded by more than
/// that.
std::int64_t interval_of(const Options& options) {
  std::int64_t shortest = 4 * kLongestInterval_ms;
  for (const std::int64_t ms :
       {options.idle_timeout_ms, options.handshake_timeout_ms, options.message_timeout_ms,
        options.reply_timeout_ms, options.outgoing_idle_timeout_ms}) {
    if (ms != 0) shortest = std::min(shortest, ms);
  }
  return std::max<std::int64_t>(1, shortest / 4);
}

/// Time limit of the first request of a peer that the access rules do not admit.
std::int64_t rejected_timeout_ms(const Options& options) {
  return options.handshake_timeout_ms == 0 ? kRejectedTimeout_ms
                                           : std::min(kRejectedTimeout_ms, options.handshake_timeout_ms);
}

}  // namespace

IncomingConnections::IncomingConnections(const Options& options, std::shared_ptr<ReceiveBudget> budget)
    : options_(options), budget_(std::move(budget)), service_(options.served_bytes(), options.reply_bytes()),
      interval_ms_(interval_of(options)) {}

IncomingConnections::Admission::Admission(IncomingConnections& all, std::string peer, bool timed,
                                          bool allowed, Kind kind)
    : all_(all), peer_(std::move(peer)), timed_(timed), admitted_(allowed), kind_(kind) {}

IncomingConnections::Admission::~Admission() {
  const std::lock_guard lock(all_.mutex_);
  if (!listed_) return;
  all_.admissions_.erase(place_);
  if (kind_ == Kind::counted) --all_.counted_;
  if (!admitted_) --all_.rejected_;
  if (peer_.empty()) return;
  if (peer_.rfind("user ", 0) != 0) --all_.remote_;
  const auto counted = all_.by_peer_.find(peer_);
  if (--counted->second == 0) all_.by_peer_.erase(counted);
}

void IncomingConnections::Admission::watch(ServerConnection& connection) noexcept {
  const std::lock_guard lock(all_.mutex_);
  if (timed_ || !admitted_) connection_ = &connection;
}

namespace {
/// The user of a peer on this host that is connected over a network: " of user 1000".
std::string network_user(const Peer& peer) {
  if (!is_on_this_host(peer) || !ip_address_of(peer)) return {};
  return peer.uid >= 0 ? " of user " + std::to_string(peer.uid) : " of an unknown user of this host";
}

/// Properties of a peer that the access rules compare besides its address: " (CN=radio-7,
/// DNS:radio-7.example)".
std::string certificate_names(const Peer& peer) {
  std::string all = peer.subject;
  for (const std::string& name : peer.names) all += (all.empty() ? "" : ", ") + name;
  return all.empty() ? all : " (" + all + ")";
}

void log_refusal(const transport::Transport& transport, const Peer& peer, const std::string& why) {
  log::write_limited(log::Level::warn, "connection rejected", log::origin(peer), [&] {
    return std::string("connection rejected: ") + transport.name() + " " + peer.address + ": " + why;
  });
}

void log_denied_access(const transport::Transport& transport, const Peer& peer) {
  log::write_limited(log::Level::warn, "connection rejected", log::origin(peer), [&] {
    return std::string(transport.name()) + ": " + peer.address + network_user(peer) +
           certificate_names(peer) + " rejected: not admitted by the access rules (-ORBAllow, -ORBDeny)";
  });
}
}  // namespace

std::unique_ptr<IncomingConnections::Admission> IncomingConnections::admit(
    const transport::Transport& transport, const Peer& peer) {
  std::unique_ptr<Admission> admission;  // destroyed after the lock is released
  const bool here =
      transport.traits().reach == transport::Reach::process;  // within this process: not limited
  const bool allowed = here || options_.access->admits(peer);
  if (!allowed) log_denied_access(transport, peer);
  const std::string counted = here || !allowed ? std::string() : counted_as(peer);
  const bool local = is_local_user(peer);
  std::unique_lock lock(mutex_);
  std::string why;
  if (!here) why = allowed ? refusal(local, counted) : refusal_of_rejected(local);
  if (!why.empty()) {
    lock.unlock();
    log_refusal(transport, peer, why);
    return nullptr;
  }
  admission.reset(new Admission(*this, counted, !here && transport.traits().reliable, allowed));
  list(*admission);
  return admission;
}

/// Adds an admission, and counts it. Called with the lock.
void IncomingConnections::list(Admission& admission) {
  std::list<Admission*> entry{&admission};
  if (!admission.peer_.empty()) {
    ++by_peer_[admission.peer_];
    if (admission.peer_.rfind("user ", 0) != 0) ++remote_;
  }
  if (!admission.admitted_) ++rejected_;
  if (admission.kind_ == Admission::Kind::counted) ++counted_;
  admission.place_ = entry.begin();
  admissions_.splice(admissions_.end(), entry);
  admission.listed_ = true;
  if (admissions_.size() == 1 && on_busy_) on_busy_();
}

std::unique_ptr<IncomingConnections::Admission> IncomingConnections::limit_replies(
    const transport::Transport& transport) {
  std::unique_ptr<Admission> admission;  // destroyed after the lock is released
  const bool timed = transport.traits().reach != transport::Reach::process && transport.traits().reliable;
  const std::lock_guard lock(mutex_);
  admission.reset(new Admission(*this, {}, timed, true, Admission::Kind::replies_only));
  list(*admission);
  return admission;
}

bool IncomingConnections::has_room(const transport::Transport& transport, const Peer& peer) {
  const std::string why = [&] {
    const std::lock_guard lock(mutex_);
    return refusal(false, counted_as(peer));
  }();
  if (!why.empty()) log_refusal(transport, peer, why);
  return why.empty();
}

/// Why another connection is rejected; empty if it is accepted. Called with the lock.
std::string IncomingConnections::refusal(bool local, const std::string& peer) const {
  std::size_t all = 0;
  for (const auto& [each, count] : by_peer_) all += count;
  if (options_.max_connections != 0) {
    if (all >= options_.max_connections) {
      return "there are " + std::to_string(all) + " connections (-ORBTune max-connections)";
    }
    // A quarter is reserved for the users of this host.
    const std::size_t for_remote = options_.max_connections - options_.max_connections / 4;
    if (!local && remote_ >= for_remote) {
      return "there are " + std::to_string(remote_) + " network connections, of at most three quarters of " +
             std::to_string(options_.max_connections) + " (-ORBTune max-connections)";
    }
  }
  const auto counted = by_peer_.find(peer);
  if (const std::size_t share = share_of_descriptors(options_);
      !local && counted != by_peer_.end() && counted->second >= share) {
    return peer + " has " + std::to_string(counted->second) +
           " connections, half of the descriptors (ulimit -n, -ORBTune reserved-descriptors)";
  }
  if (options_.max_connections_per_peer != 0 && counted != by_peer_.end() &&
      counted->second >= options_.max_connections_per_peer) {
    return peer + " has " + std::to_string(counted->second) +
           " connections (-ORBTune max-connections-per-peer)";
  }
  return refusal_for_descriptors(local);
}

/// As `refusal`, for a peer that the access rules do not admit, whose connection is accepted only to reply
/// NO_PERMISSION. Called with the lock.
std::string IncomingConnections::refusal_of_rejected(bool local) const {
  if (rejected_ >= kMaxRejected) {
    return std::to_string(rejected_) +
           " connections not admitted by the access rules (-ORBAllow, -ORBDeny) are open";
  }
  return refusal_for_descriptors(local);
}

std::string IncomingConnections::refusal_for_descriptors(bool local) const {
  if (std::size_t left = 0; short_of_descriptors(options_, local, left)) {
    return "this process may open only " + std::to_string(left) +
           " more descriptors (-ORBTune reserved-descriptors, ulimit -n)";
  }
  return {};
}

void IncomingConnections::tell_what_descriptors_allow() const {
  const std::size_t limit = platform::descriptor_limit(), unreserved = limit - kept_descriptors(options_);
  const std::size_t share = share_of_descriptors(options_),
                    for_remote = options_.max_connections - options_.max_connections / 4;
  std::string less;
  const auto compare = [&less](const char* what, std::size_t allowed, const char* option,
                               std::size_t configured) {
    if (configured != 0 && configured <= allowed) return;
    less += (less.empty() ? "" : ", ") + std::to_string(allowed) + what + " (" + option + " " +
            std::to_string(configured) + ")";
  };
  compare(" of one host", share, "-ORBTune max-connections-per-peer", options_.max_connections_per_peer);
  compare(" over networks", unreserved, "three quarters of -ORBTune max-connections:", for_remote);
  if (less.empty()) return;
  log::info([&] {
    return "descriptors (ulimit -n " + std::to_string(limit) +
           ") allow fewer connections than the options: " + less;
  });
}

void IncomingConnections::enforce() noexcept {
  catch_and_log("reporting suppressed lines",
                [this] { has_unreported_lines_ = log::report_suppressed_after_a_while(); });
  if (options_.message_timeout_ms != 0) budget_->end_timed_out(options_.message_timeout_ms);
  const std::lock_guard lock(mutex_);
  const std::int64_t now = platform::now_ns();
  for (Admission* const admission : admissions_) {
    if (admission->connection_ == nullptr) continue;
    catch_and_log("enforcing the limits of a connection", [&] {
      if (!admission->admitted_) {
        admission->connection_->close_if_rejected(now, rejected_timeout_ms(options_) * 1'000'000);
        return;
      }
      if (admission->kind_ == Admission::Kind::counted) {
        admission->connection_->close_if_idle(now, options_.handshake_timeout_ms * 1'000'000,
                                              options_.idle_timeout_ms * 1'000'000);
      }
      admission->connection_->close_if_reply_unread(now, options_.reply_timeout_ms * 1'000'000);
    });
  }
}

bool IncomingConnections::busy() const noexcept {
  if (budget_->receiving() || has_unreported_lines_) return true;
  const std::lock_guard lock(mutex_);
  return !admissions_.empty();
}

void IncomingConnections::on_busy(std::function<void()> call) {
  if (options_.message_timeout_ms != 0) budget_->on_receiving(call);
  const std::lock_guard lock(mutex_);
  on_busy_ = std::move(call);
}

std::size_t IncomingConnections::connections() const noexcept {
  const std::lock_guard lock(mutex_);
  return counted_;
}

}  // namespace orbweaver::orb
