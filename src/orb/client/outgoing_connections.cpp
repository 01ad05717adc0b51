#include "orb/client/outgoing_connections.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/catch_and_log.h"
#include "base/log.h"
#include "orb/client/client_connection.h"
#include "orb/descriptor_shares.h"
#include "platform/clock.h"
#include "transport/stream/lingering.h"

namespace orbweaver::orb {
namespace {

/// Connections closed by one call of `enforce`. A closed connection keeps its descriptor until its peer has
/// received the remaining bytes; the limit bounds the number of such sockets (transport/stream/lingering.h).
constexpr std::size_t kMaxClosedAtOnce = 16;

/// Number of free descriptors, 0 if `needed` is 0. Counted, because descriptors of closed connections are not
/// contiguous.
std::size_t descriptors_left_beside(std::size_t needed) noexcept {
  if (needed == 0) return 0;
  const std::size_t limit = platform::descriptor_limit(), used = platform::descriptors_in_use();
  return limit > used ? limit - used : 0;
}

}  // namespace

OutgoingConnections::Place::~Place() {
  const std::lock_guard lock(all_->mutex_);
  all_->forget(*this);
}

void OutgoingConnections::Place::watch(ClientConnection& connection) noexcept {
  const std::lock_guard lock(all_->mutex_);
  connection_ = &connection;
  used_ns_ = platform::now_ns();
}

/// Removes a registration from the list. Called with the lock.
void OutgoingConnections::forget(Place& place) noexcept {
  place.connection_ = nullptr;
  if (std::exchange(place.listed_, false)) places_.erase(place.at_);
}

std::size_t OutgoingConnections::limit() const noexcept {
  if (options_.max_outgoing_connections) return *options_.max_outgoing_connections;
  return std::min(Options::kDefaultOutgoingConnections, share_of_descriptors(options_));
}

/// Makes room for another connection, for which `needed` descriptors must be free, by closing unused ones.
/// Called with the lock. Returns why there is none; empty if there is.
std::string OutgoingConnections::make_room(std::size_t needed, Channels& closed) {
  see_uses(platform::now_ns());
  const std::size_t limit = this->limit();
  while (limit != 0 && places_.size() >= limit && close_least_recent(closed)) {
  }
  if (limit != 0 && places_.size() >= limit) {
    return "there are " + std::to_string(places_.size()) +
           " outgoing connections, all in use (-ORBTune max-outgoing-connections)";
  }
  const std::size_t left = descriptors_left_beside(needed);
  // A closed connection is replaced by the new one: the number of free descriptors does not decrease.
  if (left >= needed || !closed.empty() || close_least_recent(closed)) return {};
  return "this process may open only " + std::to_string(left) +
         " more descriptors, and all outgoing connections are in use (-ORBTune max-outgoing-connections, "
         "reserved-descriptors, ulimit -n)";
}

Result<std::unique_ptr<OutgoingConnections::Place>> OutgoingConnections::take_place(
    const transport::Transport& transport) {
  if (transport.traits().reach == transport::Reach::process) return std::unique_ptr<Place>();
  const std::size_t reserved = kept_descriptors(options_);
  const std::size_t needed = transport.traits().reach == transport::Reach::host ? reserved / 4 : reserved;
  Channels closed;  // destroyed after the lock is released
  std::unique_ptr<Place> place(new Place(shared_from_this()));
  std::list<Place*> entry{place.get()};
  std::string why;
  {
    const std::lock_guard lock(mutex_);
    why = make_room(needed, closed);
    if (why.empty()) {
      place->at_ = entry.begin();
      places_.splice(places_.end(), entry);
      place->listed_ = true;
      if (places_.size() == 1 && on_busy_) on_busy_();
    }
  }
  if (why.empty()) {
    // A closed connection keeps its descriptor for a moment, and many may have been closed.
    const bool scarce = !closed.empty() && descriptors_left_beside(needed) < needed / 2;
    closed.clear();
    if (scarce) transport::wait_for_lingering_sockets();
    return place;
  }
  log::write_limited(log::Level::warn, "connection not opened", "",
                     [&] { return "connection not opened: " + why; });
  return Error{ErrorKind::transient, why};
}

/// Updates the times of last use. Called with the lock. For a connection that does not record its last use
/// the time is that of the first call after it.
void OutgoingConnections::see_uses(std::int64_t now_ns) noexcept {
  for (Place* const place : places_) {
    if (place->connection_ == nullptr) continue;
    const std::uint64_t messages = place->connection_->messages_seen();
    const bool used = std::exchange(place->seen_messages_, messages) != messages;
    const std::int64_t recorded_ns = place->connection_->sender().used_ns();
    if (used && recorded_ns == 0) place->used_ns_ = now_ns;
    place->used_ns_ = std::max(place->used_ns_, recorded_ns);
  }
}

/// Closes the least recently used connection that no call uses. Called with the lock. Returns false if all
/// are in use.
bool OutgoingConnections::close_least_recent(Channels& closed) {
  std::vector<Place*> by_use;
  for (Place* const place : places_) {
    if (place->connection_ != nullptr) by_use.push_back(place);
  }
  std::stable_sort(by_use.begin(), by_use.end(), [](const Place* a, const Place* b) {
    const bool a_usable = a->connection_->usable(), b_usable = b->connection_->usable();
    return a_usable != b_usable ? b_usable : a->used_ns_ < b->used_ns_;
  });
  return std::any_of(by_use.begin(), by_use.end(), [&](Place* place) {
    return close(*place,
                 "replaced by a new connection (-ORBTune max-outgoing-connections, reserved-descriptors)",
                 closed);
  });
}

/// Closes one connection. Called with the lock. Returns false if a call uses it.
bool OutgoingConnections::close(Place& place, const char* why, Channels& closed) {
  Channels node(1);
  ClientConnection& connection = *place.connection_;
  const bool had_ended = !connection.usable();
  node.front() = connection.close_if_unused();
  if (node.front() == nullptr) return false;
  closed.splice(closed.end(), node);
  forget(place);
  if (!had_ended) {
    log::debug([&] { return "connection to " + connection.description() + " closed: " + why; });
  }
  return true;
}

void OutgoingConnections::enforce() noexcept {
  Channels closed;
  catch_and_log("closing idle outgoing connections", [&] {
    const std::int64_t now = platform::now_ns();
    const std::int64_t max_idle_ns = options_.outgoing_idle_timeout_ms * 1'000'000;
    const std::lock_guard lock(mutex_);
    see_uses(now);
    for (auto at = places_.begin(); at != places_.end() && closed.size() < kMaxClosedAtOnce;) {
      Place& place = **at++;
      if (place.connection_ == nullptr) continue;
      const bool ended = !place.connection_->usable();
      if (!ended && (max_idle_ns == 0 || now - place.used_ns_ < max_idle_ns)) continue;
      close(place, "idle (-ORBTune outgoing-idle-timeout-ms)", closed);
    }
  });
}

bool OutgoingConnections::busy() const noexcept {
  return options_.outgoing_idle_timeout_ms != 0 && connections() != 0;
}

void OutgoingConnections::on_busy(std::function<void()> call) {
  if (options_.outgoing_idle_timeout_ms == 0) return;
  const std::lock_guard lock(mutex_);
  on_busy_ = std::move(call);
  if (on_busy_ && !places_.empty()) on_busy_();
}

std::size_t OutgoingConnections::connections() const noexcept {
  const std::lock_guard lock(mutex_);
  return places_.size();
}

}  // namespace orbweaver::orb
