#include "services/events/channel_core.h"

#include <orbweaver/peer.h>
#include <orbweaver/streams/push_result.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/catch_and_log.h"
#include "base/peer_address.h"
#include "services/events/proxy.h"

namespace orbweaver::services::events {
namespace {

constexpr auto kNotDone = CORBA::CompletionStatus::COMPLETED_NO;

void deactivate(const PoaRef& poa, const PortableServer::ObjectId& id) noexcept {
  try {
    poa->deactivate_object(id);
  } catch (const CORBA::Exception&) {  // the POA has been destroyed
  }
}

void add(EventChannelCounts& sum, const EventConsumerCounts& counts) {
  sum.accepted += counts.accepted;
  sum.delivered += counts.delivered;
  sum.failed += counts.failed;
  sum.discarded += counts.discarded;
  sum.failed_calls += counts.failed_calls;
}

}  // namespace

bool ServiceParts::is_own_proxy(const ObjectRef& object) const {
  try {
    static_cast<void>(proxies_poa->reference_to_id(object));
    return true;
  } catch (const PortableServer::POA::WrongAdapter&) {
    return false;
  }
}

void ChannelCore::check_peer(const ObjectRef& consumer_or_supplier) const {
  if (options.connects_own_proxies || !parts->is_own_proxy(consumer_or_supplier)) return;
  throw CORBA::BAD_PARAM(0, kNotDone,
                         "a proxy of an event channel of this service cannot be connected to this channel: "
                         "events could circulate without end");
}

void ChannelCore::check_exists() const {
  if (destroyed_) throw CORBA::OBJECT_NOT_EXIST(0, kNotDone, "the event channel has been destroyed");
}

bool ChannelCore::destroyed() const {
  const std::lock_guard lock(mutex_);
  return destroyed_;
}

std::shared_ptr<const ChannelCore::Queues> ChannelCore::queues() const {
  const std::lock_guard lock(mutex_);
  return queues_;
}

void ChannelCore::publish(const CORBA::Any& any) {
  std::shared_ptr<const Queues> queues;
  {
    const std::lock_guard lock(mutex_);
    check_exists();
    queues = queues_;
  }
  events_.fetch_add(1, std::memory_order_relaxed);
  EventRef event;
  try {
    const std::size_t bytes = event_bytes(any);
    if (bytes > options.queue.bytes) streams::raise_if_rejected(streams::PushResult::too_large);
    if (queues->empty()) return;
    event = parts->memory->make_event(any, bytes);
  } catch (...) {
    rejected_.fetch_add(1, std::memory_order_relaxed);
    throw;
  }
  if (blocks()) {
    suppliers_.offer(*queues, event, Deadline::in_ms(options.block_ms));
  } else {
    for (const auto& queue : *queues) queue->offer(event);
  }
}

std::shared_ptr<ConsumerQueue> ChannelCore::add_consumer(EventConsumerKind kind) {
  auto queue = std::make_shared<ConsumerQueue>(kind, options.queue,
                                               kind == EventConsumerKind::pull ? nullptr : &pending_,
                                               blocks() ? &suppliers_ : nullptr);
  const std::lock_guard lock(mutex_);
  check_exists();
  auto queues = std::make_shared<Queues>(*queues_);
  queues->push_back(queue);
  queues_ = std::move(queues);
  return queue;
}

void ChannelCore::remove_consumer(const std::shared_ptr<ConsumerQueue>& queue) {
  queue->close();
  const std::lock_guard lock(mutex_);
  if (std::find(queues_->begin(), queues_->end(), queue) == queues_->end()) return;
  auto queues = std::make_shared<Queues>();
  std::remove_copy(queues_->begin(), queues_->end(), std::back_inserter(*queues), queue);
  removed_queues_.push_back(queue);
  queues_ = std::move(queues);
}

void ChannelCore::forget_consumer(const std::shared_ptr<ConsumerQueue>& queue) noexcept {
  const std::lock_guard lock(mutex_);
  const auto removed = std::find(removed_queues_.begin(), removed_queues_.end(), queue);
  if (removed == removed_queues_.end()) return;
  removed_queues_.erase(removed);
  add(ended_, queue->counts());
}

std::size_t ChannelCore::proxies(Side side) const {
  return static_cast<std::size_t>(std::count_if(
      proxies_.begin(), proxies_.end(), [side](const auto& entry) { return entry.second.side == side; }));
}

std::size_t ChannelCore::proxies_of(const std::string& client, Side side) const {
  return static_cast<std::size_t>(std::count_if(proxies_.begin(), proxies_.end(), [&](const auto& entry) {
    return entry.second.side == side && entry.second.client == client;
  }));
}

/// Finds the oldest unconnected proxy of those that are unused and may end, or else the one that has been
/// silent for longest.
template <class MayEnd>
ServantRef ChannelCore::find_oldest(Side side, MayEnd&& may_end, Proxy*& found) const {
  found = nullptr;
  ServantRef servant;
  for (const auto& [proxy, active] : proxies_) {
    if (active.side != side || !proxy->unused(options.idle_ms) || !may_end(*proxy, active)) continue;
    const auto rank = [](const Proxy& each) { return std::pair(each.connected(), each.used_ns()); };
    if (found != nullptr && rank(*found) <= rank(*proxy)) continue;
    found = proxy;
    servant = active.servant;
  }
  return servant;
}

/// Finds a proxy that ends in favour of `client`: one of the client itself, one of the client that has most
/// unconnected ones, or one that has not been used for idle_ms. The only unconnected proxy of another client
/// stays until then: that client may be about to connect it.
ServantRef ChannelCore::find_unused(Side side, const std::string& client, Proxy*& found) const {
  std::map<std::string, std::size_t> unconnected;
  for (const auto& [proxy, active] : proxies_)
    if (active.side == side && !proxy->connected()) ++unconnected[active.client];
  const std::size_t own = unconnected[client];
  const auto most = std::max_element(unconnected.begin(), unconnected.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most->second >= own + 2) {
    ServantRef servant = find_oldest(
        side,
        [&](const Proxy& proxy, const ActiveProxy& active) {
          return !proxy.connected() && active.client == most->first;
        },
        found);
    if (found != nullptr) return servant;
  }
  return find_oldest(
      side,
      [&](const Proxy& proxy, const ActiveProxy& active) {
        return active.client == client || proxy.connected() || proxy.idle(options.idle_ms);
      },
      found);
}

/// Ends proxies until `client` may have a further one; empty: this process, which has no limit of its own.
void ChannelCore::make_space(std::unique_lock<std::mutex>& lock, Side side, const std::string& client) {
  const std::size_t max = side == Side::consumer ? options.max_consumers : options.max_suppliers;
  const std::size_t max_of_client = std::max<std::size_t>(max / 2, 1);
  const std::string what = side == Side::consumer ? "consumers" : "suppliers";
  for (;;) {
    const bool client_has_too_many = !client.empty() && proxies_of(client, side) >= max_of_client;
    if (!client_has_too_many && proxies(side) < max) return;
    Proxy* unused = nullptr;
    ServantRef keeps =
        client_has_too_many
            ? find_oldest(
                  side, [&](const Proxy&, const ActiveProxy& active) { return active.client == client; },
                  unused)
            : find_unused(side, client, unused);
    if (unused == nullptr && client_has_too_many) {
      throw CORBA::IMP_LIMIT(0, kNotDone,
                             "this client (" + client + ") has " + std::to_string(max_of_client) +
                                 " of the " + std::to_string(max) + " proxies for " + what +
                                 " of the event channel and all are used: disconnect some");
    }
    if (unused == nullptr) {
      throw CORBA::NO_RESOURCES(0, kNotDone,
                                "the event channel has " + std::to_string(max) + " proxies for " + what +
                                    " and none is unused: disconnect some, or increase the channel's limit");
    }
    lock.unlock();
    if (unused->end_if_unused(options.idle_ms)) evicted_.fetch_add(1, std::memory_order_relaxed);
    keeps = nullptr;  // perhaps the last reference: the destructor of a proxy takes the lock
    lock.lock();
    check_exists();
  }
}

ObjectRef ChannelCore::add_proxy(Side side, const PoaRef& poa, const ServantRef& servant, Proxy& proxy) {
  const std::string client = client_of(orbweaver::peer());
  std::unique_lock lock(mutex_);
  check_exists();
  make_space(lock, side, client);
  const PortableServer::ObjectId id = poa->activate_object(servant);
  try {
    ObjectRef reference = poa->id_to_reference(id);
    proxies_.emplace(&proxy, ActiveProxy{servant, poa, id, side, client});
    return reference;
  } catch (...) {
    deactivate(poa, id);
    throw;
  }
}

void ChannelCore::remove_proxy(Proxy& proxy) noexcept {
  ServantRef servant;  // released without the lock
  std::unique_lock lock(mutex_);
  const auto found = proxies_.find(&proxy);
  if (found == proxies_.end()) return;
  servant = std::move(found->second.servant);
  const PoaRef poa = std::move(found->second.poa);
  const PortableServer::ObjectId id = std::move(found->second.id);
  proxies_.erase(found);
  lock.unlock();
  deactivate(poa, id);
}

void ChannelCore::add_objects(const ServantRef& channel, const ServantRef& consumers,
                              const ServantRef& suppliers) {
  const PoaRef& poa = parts->channels_poa;
  // The channel is the last: its operations return the other two.
  ObjectRef* const references[] = {&consumer_admin_, &supplier_admin_, &channel_};
  const ServantRef* const servants[] = {&consumers, &suppliers, &channel};
  for (std::size_t i = 0; i < 3; ++i) {
    PortableServer::ObjectId id = poa->activate_object(*servants[i]);
    ObjectRef reference = poa->id_to_reference(id);
    const std::lock_guard lock(mutex_);
    objects_.push_back(std::move(id));
    *references[i] = std::move(reference);
  }
}

ObjectRef ChannelCore::consumer_admin() const {
  const std::lock_guard lock(mutex_);
  check_exists();
  return consumer_admin_;
}

ObjectRef ChannelCore::supplier_admin() const {
  const std::lock_guard lock(mutex_);
  check_exists();
  return supplier_admin_;
}

void ChannelCore::destroy() noexcept {
  std::vector<std::pair<Proxy*, ServantRef>> ending;
  std::shared_ptr<const Queues> queues;
  {
    const std::lock_guard lock(mutex_);
    if (destroyed_) return;
    destroyed_ = true;
    for (const auto& [proxy, active] : proxies_) ending.emplace_back(proxy, active.servant);
    queues = queues_;
  }
  for (const PortableServer::ObjectId& id : objects_) deactivate(parts->channels_poa, id);
  for (const auto& [proxy, servant] : ending) proxy->end();
  for (const auto& queue : *queues) remove_consumer(queue);  // those of this process are left
}

void ChannelCore::count_removed(const char* what, const CallResult& last) {
  removed_.fetch_add(1, std::memory_order_relaxed);
  log_caught_exception(what, last.error.c_str());
}

EventChannelCounts ChannelCore::counts() const {
  const std::lock_guard lock(mutex_);
  EventChannelCounts counts = ended_;
  for (const auto& queue : removed_queues_) add(counts, queue->counts());
  for (const auto& queue : *queues_) add(counts, queue->counts());
  counts.events = events_.load(std::memory_order_relaxed);
  counts.rejected = rejected_.load(std::memory_order_relaxed);
  counts.failed_calls += failed_calls_.load(std::memory_order_relaxed);
  counts.removed = removed_.load(std::memory_order_relaxed);
  counts.evicted = evicted_.load(std::memory_order_relaxed);
  counts.consumers = queues_->size();
  counts.consumer_proxies = proxies(Side::consumer);
  counts.supplier_proxies = proxies(Side::supplier);
  return counts;
}

}  // namespace orbweaver::services::events
