#include "orb/client/connection_cache.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/log.h"
#include "orb/bidirectional/offered_connections.h"

namespace orbweaver::orb {

ConnectionCache::ConnectionCache(const Options& options, std::shared_ptr<ReceiveBudget> budget,
                                 Flusher& flusher, Reactor* reactor, const ShutdownState& shutdown,
                                 OfferedConnections* offered)
    : options_(options), budget_(std::move(budget)), flusher_(flusher), reactor_(reactor),
      shutdown_(shutdown), offered_(offered) {}

transport::Deadline ConnectionCache::connect_deadline(transport::Deadline deadline) const noexcept {
  return {std::min(deadline.ns, transport::Deadline::in_ms(options_.connect_timeout_ms).ns)};
}

Result<ClientConnectionPtr> ConnectionCache::connect(transport::Transport& transport,
                                                     const std::string& address, transport::Deadline deadline,
                                                     Offer offer) {
  const std::string name = connection_name(transport, address, offer);
  CachedConnectionPtr cached;
  {
    const std::lock_guard lock(mutex_);
    CachedConnectionPtr& known = connections_[name];
    if (!known) known = std::make_shared<CachedConnection>();
    cached = known;
  }
  // Two threads that call the same server for the first time share a connection: over two their calls could
  // be reordered.
  std::unique_lock lock(cached->mutex);
  Result<ClientConnectionPtr> result = Error{ErrorKind::timed_out, {}};
  for (;;) {
    if (cached->connection && cached->connection->usable()) return cached->connection;
    if (!cached->connecting) {
      result = open_cached(*cached, lock, transport, address, name, deadline, offer);
      break;
    }
    const std::uint64_t attempt = cached->attempts;
    const std::chrono::steady_clock::time_point latest{
        std::chrono::nanoseconds(connect_deadline(deadline).ns)};
    if (!cached->attempt_ended.wait_until(lock, latest, [&] { return cached->attempts != attempt; })) {
      result = Error{ErrorKind::timed_out, "no connection to " + name + " in time"};
      break;
    }
    if (cached->failure) {
      result = *cached->failure;
      break;
    }
  }
  lock.unlock();
  if (!result) forget(name, std::move(cached));
  return result;
}

Result<ClientConnectionPtr> ConnectionCache::open_cached(CachedConnection& cached,
                                                         std::unique_lock<std::mutex>& lock,
                                                         transport::Transport& transport,
                                                         const std::string& address, const std::string& name,
                                                         transport::Deadline deadline, Offer offer) {
  ClientConnectionPtr ended = std::move(cached.connection);
  cached.connection = nullptr;
  cached.connecting = true;
  lock.unlock();
  ended = nullptr;  // destroyed without the lock
  const auto end_attempt = [&](ClientConnectionPtr connection, std::optional<Error> failure) {
    lock.lock();
    cached.connection = std::move(connection);
    cached.failure = std::move(failure);
    cached.connecting = false;
    ++cached.attempts;
    cached.attempt_ended.notify_all();
  };
  try {
    auto opened = open(transport, address, name, deadline, SIZE_MAX, offer);
    // The deadline of this call says nothing about the others, which then try themselves.
    const bool is_own = !opened && opened.error().kind == ErrorKind::timed_out && deadline.passed();
    if (opened)
      end_attempt(*opened, std::nullopt);
    else
      end_attempt(nullptr, is_own ? std::nullopt : std::optional(opened.error()));
    return opened;
  } catch (...) {
    if (!lock.owns_lock()) end_attempt(nullptr, std::nullopt);
    throw;
  }
}

void ConnectionCache::forget(const std::string& name, CachedConnectionPtr cached) noexcept {
  const std::lock_guard lock(mutex_);
  const auto known = connections_.find(name);
  const bool is_known = known != connections_.end() && known->second == cached;
  cached = nullptr;
  if (!is_known || known->second.use_count() != 1) return;  // users are added under mutex_ only
  {
    const std::lock_guard connection_lock(known->second->mutex);
    if (known->second->connection) return;
  }
  connections_.erase(known);
}

Result<ClientConnectionPtr> ConnectionCache::open(transport::Transport& transport, const std::string& address,
                                                  const std::string& name, transport::Deadline deadline,
                                                  std::size_t max_ring_bytes, Offer offer) {
  if (!shutdown_.running()) return Error{ErrorKind::unavailable, "the ORB has been shut down"};
  drop_closed(kCheckedBeforeConnect);
  auto place = outgoing_->take_place(transport);
  if (!place) return place.take_error();
  transport::ChannelOptions options = options_.channel(transport, budget_);
  options.ring_bytes = std::min(options.ring_bytes, max_ring_bytes);
  auto channel = transport.connect(address, options, connect_deadline(deadline));
  if (!channel) return channel.take_error();
  log::debug([&] { return "connected: " + name; });
  std::shared_ptr<SplitChannel> split;
  if (offer == Offer::yes && offered_ != nullptr && offered_->can_offer(transport, **channel)) {
    split = offered_->divide(std::move(*channel));
    *channel = split->make_end(SplitChannel::Role::caller);
  }
  auto connection = make_connection(std::move(*channel), name);
  if (!transport.traits().reliable) connection->set_unreliable();
  if (split == nullptr) {
    connection->take(std::move(*place));
    return connection;
  }
  connection->sender().offer(offered_->listen_points(), transport.traits().secure);
  connection->keep(std::move(*place));
  if (auto served = offered_->serve(split, connection, transport); !served) return served.take_error();
  return connection;
}

ClientConnectionPtr ConnectionCache::make_connection(std::unique_ptr<transport::Channel> channel,
                                                     const std::string& name) {
  auto connection = CORBA::make_reference<ClientConnection>(std::move(channel), name,
                                                            options_.max_message_bytes, reactor_, budget_);
  connection->set_batching(options_.batching(flusher_));
  connection->set_queueing(send_queueing_);
  return connection;
}

ClientConnectionPtr ConnectionCache::find(const transport::Transport& transport, const std::string& address,
                                          Offer offer) {
  CachedConnectionPtr cached;
  {
    const std::lock_guard lock(mutex_);
    const auto known = connections_.find(connection_name(transport, address, offer));
    if (known == connections_.end()) return nullptr;
    cached = known->second;
  }
  const std::lock_guard lock(cached->mutex);
  return cached->connection && cached->connection->usable() ? cached->connection : nullptr;
}

void ConnectionCache::drop_closed(std::size_t at_most) {
  auxiliary_->drop_closed();
  std::vector<CachedConnectionPtr> ended;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  auto next = connections_.upper_bound(last_checked_);
  for (std::size_t left = std::min(at_most, connections_.size()); left > 0; --left) {
    const auto known = next != connections_.end() ? next : connections_.begin();
    next = std::next(known);
    if (left == 1) last_checked_ = known->first;
    CachedConnection& cached = *known->second;
    // Skipped while another thread connects or is about to.
    if (known->second.use_count() != 1) continue;
    const std::unique_lock connection_lock(cached.mutex, std::try_to_lock);
    if (!connection_lock || !cached.connection) continue;
    cached.connection->reader().check_for_close();
    if (cached.connection->usable()) continue;
    ended.push_back(known->second);
    connections_.erase(known);
  }
}

Result<ClientConnectionPtr> ConnectionCache::connect_private(transport::Transport& transport,
                                                             const std::string& address,
                                                             transport::Deadline deadline, Offer offer) {
  auto opened = open(transport, address, connection_name(transport, address, offer) + " (private)", deadline,
                     SIZE_MAX, offer);
  if (!opened) return opened;
  const std::lock_guard lock(mutex_);
  // Either registered before the shutdown collects the connections, or closed here: no other owner would
  // close it.
  if (!shutdown_.running()) {
    (*opened)->close();
    return Error{ErrorKind::unavailable, "the ORB has been shut down"};
  }
  private_connections_.push_back(*opened);
  return opened;
}

void ConnectionCache::close_private(const ClientConnectionPtr& connection) noexcept {
  connection->close();
  const std::lock_guard lock(mutex_);
  std::erase(private_connections_, connection);  // the caller shares ownership: nothing is destroyed here
}

void ConnectionCache::close() {
  std::map<std::string, CachedConnectionPtr> connections;
  std::vector<ClientConnectionPtr> private_connections;
  {
    const std::lock_guard lock(mutex_);
    connections.swap(connections_);
    private_connections.swap(private_connections_);
  }
  const transport::Deadline deadline = transport::Deadline::in_ms(kSendQueuedAtShutdown_ms);
  for (const ClientConnectionPtr& connection : private_connections) connection->close_until(deadline);
  auxiliary_->close();
  for (auto& entry : connections) {
    auto& cached = *entry.second;
    // Waits for a connect in progress. Later ones fail because the ORB is not running.
    std::unique_lock lock(cached.mutex);
    cached.attempt_ended.wait(lock, [&] { return !cached.connecting; });
    if (cached.connection) cached.connection->close_until(deadline);
    cached.connection = nullptr;
  }
  send_queueing_.stop();
}

}  // namespace orbweaver::orb
