#include "orb/client/auxiliary_connections.h"

#include <algorithm>
#include <new>

#include "orb/client/connection_cache.h"
#include "orb/minor_codes.h"
#include "orb/reference/reference.h"
#include "orb/server/reactor.h"
#include "orb/server/thread_pool.h"
#include "orb/system_exceptions.h"
#include "platform/steady_time.h"

namespace orbweaver::orb {

using transport::Deadline;

namespace {

// Small, as there may be many, each with one call at a time. Larger messages are sent in parts.
constexpr std::size_t kRingBytes = std::size_t{256} << 10;
constexpr std::int64_t kPollInterval_ms = 1;

}  // namespace

ClientConnection* AuxiliaryConnections::find_free(EndpointConnections& address) {
  for (AuxiliaryConnection& auxiliary : address.connections) {
    if (auxiliary.in_use || !auxiliary.connection->usable()) continue;
    // An abandoned call may still be served; its reply is read here.
    if (auxiliary.connection->replies().has_outstanding()) auxiliary.connection->reader().check_for_close();
    if (auxiliary.connection->replies().has_outstanding() || !auxiliary.connection->usable()) continue;
    auxiliary.in_use = true;
    return auxiliary.connection.get();
  }
  return nullptr;
}

/// Called with the lock, which is released while connecting.
Result<ClientConnection*> AuxiliaryConnections::open(const Endpoint& endpoint, const std::string& name,
                                                     std::unique_lock<std::mutex>& lock, Deadline deadline,
                                                     Offer offer) {
  EndpointConnections& address = addresses_[name];  // kept while it is counted in `opening`
  ++address.opening;
  lock.unlock();
  const auto end_opening = [&] {
    lock.lock();
    --address.opening;
  };
  Result<ClientConnectionPtr> opened(ClientConnectionPtr{});
  try {
    opened =
        cache_.open(*endpoint.transport, endpoint.address, name + " (nested)", deadline, kRingBytes, offer);
  } catch (const std::bad_alloc&) {
    end_opening();
    released_.notify_all();
    throw;
  }
  end_opening();
  if (!opened) {
    released_.notify_all();
    return opened.take_error();
  }
  // Either registered before the shutdown collects the connections, or closed here.
  if (!cache_.shutdown().running()) {
    (*opened)->close();
    return Error{ErrorKind::unavailable, "the ORB has been shut down"};
  }
  address.connections.push_back({*opened, true, 0});
  return opened->get();
}

ClientConnection& AuxiliaryConnections::acquire(const Endpoint& endpoint, std::size_t max_connections,
                                                Deadline deadline, Offer offer) try {
  const std::string name = connection_name(*endpoint.transport, endpoint.address, offer);
  const Deadline connect_deadline{
      std::min(deadline.ns, Deadline::in_ms(cache_.options().connect_timeout_ms).ns)};
  std::unique_lock lock(mutex_);
  for (;;) {
    EndpointConnections& address = addresses_[name];
    if (ClientConnection* free = find_free(address)) return *free;
    cache_.shutdown().check_running();
    if (address.connections.size() + address.opening < max_connections) {
      auto opened = open(endpoint, name, lock, deadline, offer);
      if (!opened && opened.error().kind == ErrorKind::disconnected)
        opened = Error{ErrorKind::transient, opened.error().message};
      if (!opened) raise_for(opened.error(), CORBA::CompletionStatus::COMPLETED_NO);
      return **opened;
    }
    if (connect_deadline.passed()) {
      throw CORBA::NO_RESOURCES(
          minor::kNoAuxiliaryConnection, CORBA::CompletionStatus::COMPLETED_NO,
          name + ": " + std::to_string(max_connections) +
              " nested calls to this peer are waiting (-ORBTune auxiliary-connections)");
    }
    wait(lock, connect_deadline);
  }
} catch (const std::bad_alloc&) {
  raise_no_memory();
}

ClientConnection* AuxiliaryConnections::try_acquire(const Endpoint& endpoint, std::size_t max_connections,
                                                    Deadline deadline, Offer offer) try {
  const std::string name = connection_name(*endpoint.transport, endpoint.address, offer);
  std::unique_lock lock(mutex_);
  EndpointConnections& address = addresses_[name];
  if (ClientConnection* free = find_free(address)) return free;
  if (address.connections.size() + address.opening >= max_connections) return nullptr;
  auto opened = open(endpoint, name, lock, deadline, offer);
  return opened ? *opened : nullptr;
} catch (const std::bad_alloc&) {
  return nullptr;
}

/// Waits until a connection may be free. The thread of a single-threaded ORB serves meanwhile; a pool thread
/// is replaced.
void AuxiliaryConnections::wait(std::unique_lock<std::mutex>& lock, Deadline deadline) {
  if (Reactor* const reactor = cache_.reactor(); reactor != nullptr && reactor->must_serve_while_waiting()) {
    lock.unlock();
    reactor->serve_while_waiting(Deadline::in_ms(kPollInterval_ms));
    lock.lock();
    return;
  }
  lock.unlock();
  const ThreadPool::BlockedScope blocked;
  lock.lock();
  // Polled: no notification is sent when an abandoned call's reply arrives.
  const std::int64_t look_ns = std::min(deadline.ns, Deadline::in_ms(100 * kPollInterval_ms).ns);
  released_.wait_until(lock, platform::steady_time(look_ns));
}

void AuxiliaryConnections::release(ClientConnection& connection) noexcept {
  AuxiliaryConnectionList ended;  // destroyed after the lock is released
  const std::int64_t now = now_ns();
  const std::lock_guard lock(mutex_);
  for (auto& [name, address] : addresses_) {
    const auto auxiliary =
        std::find_if(address.connections.begin(), address.connections.end(),
                     [&](const AuxiliaryConnection& each) { return each.connection.get() == &connection; });
    if (auxiliary == address.connections.end()) continue;
    auxiliary->in_use = false;
    auxiliary->used_ns = now;
    released_.notify_one();
    break;
  }
  remove_closed(ended, now);
  if (!flush_scheduled_ && !addresses_.empty())
    flush_scheduled_ = cache_.flusher().add(*this, now + idle_ns());
}

std::int64_t AuxiliaryConnections::flush_due() {
  AuxiliaryConnectionList ended;
  const std::int64_t now = now_ns();
  const std::lock_guard lock(mutex_);
  remove_closed(ended, now);
  flush_scheduled_ = !addresses_.empty();
  if (!flush_scheduled_) return 0;
  std::int64_t first_used_ns = now;
  for (const auto& [name, address] : addresses_) {
    for (const AuxiliaryConnection& auxiliary : address.connections) {
      if (auxiliary.in_use || auxiliary.connection->sender().offers()) continue;
      first_used_ns = std::min(first_used_ns, auxiliary.used_ns);
    }
  }
  return first_used_ns + idle_ns();
}

std::int64_t AuxiliaryConnections::idle_ns() const noexcept {
  return cache_.options().auxiliary_idle_ms * 1'000'000;
}

void AuxiliaryConnections::remove_closed(AuxiliaryConnectionList& ended, std::int64_t now_ns) {
  for (auto at = addresses_.begin(); at != addresses_.end();) {
    EndpointConnections& address = at->second;
    for (auto auxiliary = address.connections.begin(); auxiliary != address.connections.end();) {
      const auto next = std::next(auxiliary);
      const bool is_idle =
          now_ns - auxiliary->used_ns >= idle_ns() && !auxiliary->connection->sender().offers();
      const bool expired = !auxiliary->connection->usable() || is_idle || !cache_.shutdown().running();
      if (!auxiliary->in_use && expired) {
        auxiliary->connection->close();
        ended.splice(ended.end(), address.connections, auxiliary);
      }
      auxiliary = next;
    }
    at = address.connections.empty() && address.opening == 0 ? addresses_.erase(at) : std::next(at);
  }
}

void AuxiliaryConnections::drop_closed() {
  AuxiliaryConnectionList ended;
  const std::lock_guard lock(mutex_);
  for (auto& [name, address] : addresses_) {
    for (AuxiliaryConnection& auxiliary : address.connections) {
      if (!auxiliary.in_use) auxiliary.connection->reader().check_for_close();
    }
  }
  remove_closed(ended, now_ns());
}

void AuxiliaryConnections::close() {
  AuxiliaryConnectionList ended;
  const std::lock_guard lock(mutex_);
  for (auto& [name, address] : addresses_) {
    for (AuxiliaryConnection& auxiliary : address.connections) auxiliary.connection->close();
  }
  remove_closed(ended, now_ns());
  released_.notify_all();
}

}  // namespace orbweaver::orb
