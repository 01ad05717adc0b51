#include "orb/spare_connections.h"

#include <algorithm>
#include <chrono>

#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/system_exceptions.h"
#include "orb/thread_pool.h"

namespace orbweaver::orb {

using transport::Deadline;

namespace {

// There may be many of them, and each carries one call at a time: larger messages pass in parts.
constexpr std::size_t kRingBytes = std::size_t{256} << 10;
constexpr std::int64_t kBetweenLooks_ms = 1;

std::string name_of(const Road& road) { return std::string(road.transport->name()) + " " + road.address; }

}  // namespace

ClientConnection* SpareConnections::free_one(Address& address) {
  for (Spare& spare : address.spares) {
    if (spare.out || !spare.connection->usable()) continue;
    // A call that was given up may still be served; nobody else reads what answers it.
    if (spare.connection->awaits_replies()) spare.connection->look_for_end();
    if (spare.connection->awaits_replies() || !spare.connection->usable()) continue;
    spare.out = true;
    return spare.connection.get();
  }
  return nullptr;
}

/// With the lock, which is released while connecting.
Result<ClientConnection*> SpareConnections::open(const Road& road, const std::string& name,
                                                 std::unique_lock<std::mutex>& lock, Deadline deadline) {
  ++addresses_[name].opening;
  lock.unlock();
  auto opened = core_.open(*road.transport, road.address, name + " (nested)", deadline, kRingBytes);
  lock.lock();
  Address& address = addresses_[name];
  --address.opening;
  if (!opened) {
    freed_.notify_all();
    return opened.take_error();
  }
  // Registered before the shutdown collects them, or closed here.
  if (!core_.running()) {
    (*opened)->close();
    return Error{Remedy::give_up, "the ORB has been shut down"};
  }
  address.spares.push_back({*opened, true, 0});
  return opened->get();
}

ClientConnection& SpareConnections::take(const Road& road, std::size_t most, Deadline deadline) {
  const std::string name = name_of(road);
  const Deadline patience{std::min(deadline.ns, Deadline::in_ms(core_.options().connect_timeout_ms).ns)};
  std::unique_lock lock(mutex_);
  for (;;) {
    Address& address = addresses_[name];
    if (ClientConnection* free = free_one(address)) return *free;
    core_.check_running();
    if (address.spares.size() + address.opening < most) {
      auto opened = open(road, name, lock, deadline);
      if (!opened && opened.error().remedy == Remedy::reconnect) opened = Error{Remedy::retry, opened.error().message};
      if (!opened) raise_for(opened.error(), CORBA::CompletionStatus::COMPLETED_NO);
      return **opened;
    }
    if (patience.passed()) {
      throw CORBA::NO_RESOURCES(minor::kTooManyNested, CORBA::CompletionStatus::COMPLETED_NO,
                                name + ": " + std::to_string(most) + " calls from inside of upcalls wait for this peer "
                                "already, perhaps each for the next; -ORBNestedConnections allows more");
    }
    wait(lock, patience);
  }
}

ClientConnection* SpareConnections::take_if_free(const Road& road, std::size_t most, Deadline deadline) {
  const std::string name = name_of(road);
  std::unique_lock lock(mutex_);
  Address& address = addresses_[name];
  if (ClientConnection* free = free_one(address)) return free;
  if (address.spares.size() + address.opening >= most) return nullptr;
  auto opened = open(road, name, lock, deadline);
  return opened ? *opened : nullptr;
}

/// Until one may have come free. A single thread serves meanwhile; one of a pool is replaced.
void SpareConnections::wait(std::unique_lock<std::mutex>& lock, Deadline deadline) {
  if (core_.serves_here()) {
    lock.unlock();
    core_.serve_while_waiting(Deadline::in_ms(kBetweenLooks_ms));
    lock.lock();
    return;
  }
  lock.unlock();
  const ThreadPool::Away away;
  lock.lock();
  // One whose late reply comes is told of by nobody: looked for again and again.
  const std::int64_t look_ns = std::min(deadline.ns, Deadline::in_ms(100 * kBetweenLooks_ms).ns);
  freed_.wait_until(lock, std::chrono::steady_clock::time_point{std::chrono::nanoseconds(look_ns)});
}

void SpareConnections::give_back(ClientConnection& connection) noexcept {
  Spares ended;  // destroyed behind the lock
  const std::int64_t now = now_ns();
  const std::lock_guard lock(mutex_);
  for (auto& [name, address] : addresses_) {
    const auto spare = std::find_if(address.spares.begin(), address.spares.end(),
                                    [&](const Spare& each) { return each.connection.get() == &connection; });
    if (spare == address.spares.end()) continue;
    spare->out = false;
    spare->used_ns = now;
    freed_.notify_one();
    break;
  }
  collect_ended(ended, now);
  if (!flusher_knows_ && !addresses_.empty()) flusher_knows_ = core_.flusher().add(*this, now + idle_ns());
}

std::int64_t SpareConnections::flush_due() {
  Spares ended;
  const std::int64_t now = now_ns();
  const std::lock_guard lock(mutex_);
  collect_ended(ended, now);
  flusher_knows_ = !addresses_.empty();
  if (!flusher_knows_) return 0;
  std::int64_t first_used_ns = now;
  for (const auto& [name, address] : addresses_) {
    for (const Spare& spare : address.spares) {
      if (!spare.out) first_used_ns = std::min(first_used_ns, spare.used_ns);
    }
  }
  return first_used_ns + idle_ns();
}

std::int64_t SpareConnections::idle_ns() const noexcept { return core_.options().nested_idle_ms * 1'000'000; }

void SpareConnections::collect_ended(Spares& ended, std::int64_t now_ns) {
  for (auto at = addresses_.begin(); at != addresses_.end();) {
    Address& address = at->second;
    for (auto spare = address.spares.begin(); spare != address.spares.end();) {
      const auto next = std::next(spare);
      const bool over = !spare->connection->usable() || now_ns - spare->used_ns >= idle_ns() || !core_.running();
      if (!spare->out && over) {
        spare->connection->close();
        ended.splice(ended.end(), address.spares, spare);
      }
      spare = next;
    }
    at = address.spares.empty() && address.opening == 0 ? addresses_.erase(at) : std::next(at);
  }
}

void SpareConnections::drop_ended() {
  Spares ended;
  const std::lock_guard lock(mutex_);
  for (auto& [name, address] : addresses_) {
    for (Spare& spare : address.spares) {
      if (!spare.out) spare.connection->look_for_end();
    }
  }
  collect_ended(ended, now_ns());
}

void SpareConnections::close() {
  Spares ended;
  const std::lock_guard lock(mutex_);
  for (auto& [name, address] : addresses_) {
    for (Spare& spare : address.spares) spare.connection->close();
  }
  collect_ended(ended, now_ns());
  freed_.notify_all();
}

}  // namespace orbweaver::orb
