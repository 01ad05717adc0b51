#include "orb/client/connection_cache.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace orbweaver::orb {

ConnectionCache::ConnectionCache(const Options& options, std::shared_ptr<ReceiveBudget> budget,
                                 Flusher& flusher, Reactor* reactor, const ShutdownState& shutdown)
    : options_(options), budget_(std::move(budget)), flusher_(flusher), reactor_(reactor),
      shutdown_(shutdown) {}

Result<ClientConnectionPtr> ConnectionCache::connect(transport::Transport& transport,
                                                     const std::string& address,
                                                     transport::Deadline deadline) {
  const std::string name = std::string(transport.name()) + " " + address;
  std::shared_ptr<CachedConnection> cached;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<CachedConnection>& known = connections_[name];
    if (!known) known = std::make_shared<CachedConnection>();
    cached = known;
  }
  // Held while connecting, so that two threads that call the same server for the first time share a
  // connection. Over two connections their calls could be reordered.
  const std::lock_guard lock(cached->mutex);
  if (cached->connection && cached->connection->usable()) return cached->connection;
  cached->connection = nullptr;
  auto opened = open(transport, address, name, deadline);
  if (!opened) {
    const std::lock_guard forgetting(mutex_);
    const auto known = connections_.find(name);
    if (known != connections_.end() && known->second == cached && cached.use_count() == 2)
      connections_.erase(known);
    return opened.take_error();
  }
  cached->connection = *opened;
  return cached->connection;
}

Result<ClientConnectionPtr> ConnectionCache::open(transport::Transport& transport, const std::string& address,
                                                  const std::string& name, transport::Deadline deadline,
                                                  std::size_t max_ring_bytes) {
  if (!shutdown_.running()) return Error{ErrorKind::unavailable, "the ORB has been shut down"};
  drop_closed();
  auto place = outgoing_->take_place(transport);
  if (!place) return place.take_error();
  const transport::Deadline connect_deadline{
      std::min(deadline.ns, transport::Deadline::in_ms(options_.connect_timeout_ms).ns)};
  transport::ChannelOptions options = options_.channel(transport, budget_);
  options.ring_bytes = std::min(options.ring_bytes, max_ring_bytes);
  auto channel = transport.connect(address, options, connect_deadline);
  if (!channel) return channel.take_error();
  log::debug([&] { return "connected: " + name; });
  auto connection = CORBA::make_reference<ClientConnection>(std::move(*channel), name,
                                                            options_.max_message_bytes, reactor_, budget_);
  if (!transport.traits().reliable) connection->set_unreliable();
  connection->set_batching(options_.batching(flusher_));
  connection->take(std::move(*place));
  return connection;
}

void ConnectionCache::drop_closed() {
  auxiliary_->drop_closed();
  std::vector<std::shared_ptr<CachedConnection>> ended;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  for (auto at = connections_.begin(); at != connections_.end();) {
    const auto known = at++;
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
                                                             transport::Deadline deadline) {
  auto opened =
      open(transport, address, std::string(transport.name()) + " " + address + " (private)", deadline);
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
  std::map<std::string, std::shared_ptr<CachedConnection>> connections;
  std::vector<ClientConnectionPtr> private_connections;
  {
    const std::lock_guard lock(mutex_);
    connections.swap(connections_);
    private_connections.swap(private_connections_);
  }
  for (const ClientConnectionPtr& connection : private_connections) connection->close();
  auxiliary_->close();
  for (auto& [name, cached] : connections) {
    // Waits for a connect in progress. Later ones fail because the ORB is not running.
    const std::lock_guard lock(cached->mutex);
    if (cached->connection) cached->connection->close();
    cached->connection = nullptr;
  }
}

}  // namespace orbweaver::orb
