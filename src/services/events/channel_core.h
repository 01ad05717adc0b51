#pragma once

#include <orbweaver/poa.h>
#include <orbweaver/services/event_service.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "services/events/consumer_queue.h"
#include "services/events/delivery.h"
#include "services/events/event.h"
#include "services/events/workers.h"

namespace orbweaver::services::events {

using ObjectRef = CORBA::object_reference<CORBA::Object>;
using PoaRef = CORBA::object_reference<PortableServer::POA>;
using ServantRef = CORBA::servant_reference<PortableServer::Servant>;

class Proxy;

/// What the channels of a service share. Thread-safe.
struct ServiceParts {
  PoaRef channels_poa;  ///< For channels, admins, and proxies that only wait for the end.
  PoaRef proxies_poa;   ///< For proxies whose operations may block: each has a request queue.
  std::shared_ptr<EventMemory> memory;
  Workers workers;

  explicit ServiceParts(std::size_t max_threads) : workers(max_threads) {}

  /// Whether this is a consumer or supplier that a channel of the service is to others. Calls nothing.
  bool is_own_proxy(const ObjectRef& object) const;
};

/// An event channel: its proxies, the queues of its consumers, and the distribution of events. Thread-safe;
/// its lock is not held while a proxy, a queue or an object is called.
class ChannelCore {
 public:
  using Queues = std::vector<std::shared_ptr<ConsumerQueue>>;
  enum class Side { consumer, supplier };

  ChannelCore(std::shared_ptr<ServiceParts> of_service, const EventChannelOptions& of_channel)
      : options(of_channel), parts(std::move(of_service)) {}

  const EventChannelOptions options;
  const std::shared_ptr<ServiceParts> parts;

  /// Passes an event to all consumers. Raises as EventChannel::push.
  void publish(const CORBA::Any& any);

  /// Creates the queue of a consumer, which gets events from now on. Raises OBJECT_NOT_EXIST.
  std::shared_ptr<ConsumerQueue> add_consumer(EventConsumerKind kind);
  /// Ends a queue: no further events. Idempotent.
  void remove_consumer(const std::shared_ptr<ConsumerQueue>& queue);
  /// Forgets a queue that has been removed and is no longer used; its counters remain part of the channel's.
  void forget_consumer(const std::shared_ptr<ConsumerQueue>& queue) noexcept;

  /// Raises BAD_PARAM for a proxy of the service, unless these can be connected. For connect operations.
  void check_peer(const ObjectRef& consumer_or_supplier) const;
  /// Activates a proxy for the caller of this upcall and returns its reference. At the limit of proxies, ends
  /// one that is not used, or raises NO_RESOURCES. At the limit of the caller, ends one of its own that is
  /// not used, or raises IMP_LIMIT. Raises OBJECT_NOT_EXIST.
  ObjectRef add_proxy(Side side, const PoaRef& poa, const ServantRef& servant, Proxy& proxy);
  /// Removes a proxy that has ended, and deactivates it. Idempotent.
  void remove_proxy(Proxy& proxy) noexcept;

  /// Activates the channel and its admins. Called once.
  void add_objects(const ServantRef& channel, const ServantRef& consumers, const ServantRef& suppliers);
  ObjectRef channel_reference() const { return channel_; }
  ObjectRef consumer_admin() const;
  ObjectRef supplier_admin() const;

  /// Ends the channel: proxies, queues, objects. Idempotent.
  void destroy() noexcept;
  bool destroyed() const;

  /// Counts, and logs, that a consumer or supplier has been disconnected because of `last`.
  void count_removed(const char* what, const CallResult& last);
  void count_failed_call() noexcept { failed_calls_.fetch_add(1, std::memory_order_relaxed); }

  PendingEvents& pending() noexcept { return pending_; }
  std::shared_ptr<const Queues> queues() const;
  EventChannelCounts counts() const;

 private:
  struct ActiveProxy {
    ServantRef servant;  // keeps the proxy
    PoaRef poa;
    PortableServer::ObjectId id;
    Side side;
    std::string client;  // who obtained it; client_of()
  };
  void check_exists() const;
  bool blocks() const { return options.queue.when_full == streams::WhenFull::block; }
  std::size_t proxies(Side side) const;
  std::size_t proxies_of(const std::string& client, Side side) const;
  template <class MayEnd>
  ServantRef find_oldest(Side side, MayEnd&& may_end, Proxy*& found) const;
  ServantRef find_unused(Side side, const std::string& client, Proxy*& found) const;
  void make_space(std::unique_lock<std::mutex>& lock, Side side, const std::string& client);

  PendingEvents pending_;
  WaitingSuppliers suppliers_;
  std::atomic<std::uint64_t> events_{0}, rejected_{0}, failed_calls_{0}, removed_{0}, evicted_{0};

  ObjectRef channel_, consumer_admin_, supplier_admin_;  // constant after add_objects()
  std::vector<PortableServer::ObjectId> objects_;        // likewise
  mutable std::mutex mutex_;
  bool destroyed_ = false;
  std::shared_ptr<const Queues> queues_ = std::make_shared<Queues>();
  Queues removed_queues_;  // not forgotten yet
  std::map<Proxy*, ActiveProxy> proxies_;
  EventChannelCounts ended_;  // of consumers that have left
};

}  // namespace orbweaver::services::events
