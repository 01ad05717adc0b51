#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <orbweaver/any.h>
#include <orbweaver/deadline.h>
#include <orbweaver/poa.h>
#include <orbweaver/streams/queue_options.h>

/// @file
/// Event channels of the OMG Event Service 1.2 in this process. docs/events.md.

/// CORBA services that a program can host.
namespace orbweaver::services {

/// Properties of an event channel. A plain value; all times are in milliseconds.
struct EventChannelOptions {
  /// The queue of each consumer, and what happens to an event that does not fit: `drop_oldest`,
  /// `drop_newest`, or `block`, which makes the supplier wait. `reject` is not possible.
  streams::QueueLimits queue{256, std::size_t{16} << 20, streams::WhenFull::drop_oldest};
  /// With `block`: for how long a push waits for full queues, all together. The event is then discarded for
  /// the consumers that have no space, and later pushes do not wait for these until they take an event.
  std::int64_t block_ms = 1000;
  /// Time limit of each call of the channel to a consumer or supplier in another process.
  std::int64_t call_timeout_ms = 5000;
  /// Failed calls in succession after which a push consumer or pull supplier is disconnected; at least 1.
  std::uint32_t max_failures = 5;
  /// Pause before a failed call is repeated.
  std::int64_t retry_ms = 200;
  /// Pause before a pull supplier that had no event is asked again.
  std::int64_t poll_ms = 100;
  /// For how long pull() waits for an event before it raises TRANSIENT.
  std::int64_t pull_wait_ms = 5000;
  /// Proxies for consumers, connected or not; at least 1. One client may have half of them (rounded down, at
  /// least 1), calls of this process all.
  std::size_t max_consumers = 256;
  /// Proxies for suppliers, connected or not; at least 1. One client may have half of them, as above.
  std::size_t max_suppliers = 1024;
  /// For how long a push supplier or pull consumer must have been silent before its proxy may be destroyed to
  /// make space for a new one (max_consumers, max_suppliers).
  std::int64_t idle_ms = 600'000;
  /// Whether a client may call destroy() of the channel; otherwise it raises NO_PERMISSION.
  bool clients_may_destroy = true;
  /// Whether a proxy of a channel of the same service can be connected to this one, as its consumer or
  /// supplier, which raises BAD_PARAM otherwise. Channels that are connected in a circle pass on events
  /// without end.
  bool connects_own_proxies = true;
};

/// Limits of an event service, for all of its channels together. A plain value.
struct EventServiceLimits {
  std::size_t max_channels = 256;                     ///< Channels at a time; at least 1.
  std::size_t queued_bytes = std::size_t{256} << 20;  ///< Memory of queued events; each counts once.
  std::size_t max_threads = 1024;                     ///< Threads at a time.
};

/// How a consumer gets its events.
enum class EventConsumerKind {
  push,   ///< The channel calls its push().
  pull,   ///< It calls pull() or try_pull().
  local,  ///< A function of this process: EventChannel::subscribe().
};

/// Counters of one consumer. A plain value.
struct EventConsumerCounts {
  EventConsumerKind kind = EventConsumerKind::push;  ///< The kind of consumer.
  std::uint64_t accepted = 0;                        ///< Events put into its queue.
  std::uint64_t delivered = 0;                       ///< Events that it received.
  std::uint64_t failed = 0;                          ///< Events lost in calls that failed.
  std::uint64_t discarded = 0;                       ///< Events that did not fit, accepted before or not.
  std::uint64_t failed_calls = 0;                    ///< Calls that failed, repeated ones included.
  std::uint64_t waits = 0;                           ///< Pushes that waited for space in its queue.
  std::size_t queued = 0;                            ///< Events in its queue now.
  std::size_t queued_bytes = 0;                      ///< Memory of these events.
};

/// Counters of a channel since its creation; those of consumers include consumers that have left.
struct EventChannelCounts {
  std::uint64_t events = 0;          ///< Events that suppliers pushed, or that were pulled from them.
  std::uint64_t rejected = 0;        ///< Of these: too large, or the limit of memory was reached.
  std::uint64_t accepted = 0;        ///< Sum over consumers, as in EventConsumerCounts.
  std::uint64_t delivered = 0;       ///< Sum over consumers.
  std::uint64_t failed = 0;          ///< Sum over consumers.
  std::uint64_t discarded = 0;       ///< Sum over consumers. Includes events queued when the consumer left.
  std::uint64_t failed_calls = 0;    ///< Sum over consumers and pull suppliers.
  std::uint64_t removed = 0;         ///< Consumers and suppliers disconnected because calls failed.
  std::uint64_t evicted = 0;         ///< Proxies destroyed to make space for new ones.
  std::size_t consumers = 0;         ///< Consumers connected now, those of this process included.
  std::size_t consumer_proxies = 0;  ///< Proxies for consumers now, connected or not.
  std::size_t supplier_proxies = 0;  ///< Proxies for suppliers now, connected or not.
};

/// @cond internal
namespace events {
class ChannelCore;
struct LocalConsumer;
class Service;
}  // namespace events
/// @endcond

/// A function that receives the events of a channel, until this object is destroyed. Movable.
class EventSubscription {
 public:
  EventSubscription() = default;
  /// Takes over the subscription of `other`.
  EventSubscription(EventSubscription&&) noexcept = default;
  /// Ends this subscription and takes over that of `other`.
  EventSubscription& operator=(EventSubscription&& other) noexcept {
    end();
    consumer_ = std::move(other.consumer_);
    return *this;
  }
  /// As end().
  ~EventSubscription() { end(); }

  /// Ends the subscription and discards queued events. Returns when the function no longer runs, unless it is
  /// the function that calls. Idempotent. Any thread.
  void end() noexcept;
  /// Counters. Any thread. Zero for an object without subscription.
  EventConsumerCounts counts() const;

 private:
  friend class EventChannel;
  std::shared_ptr<events::LocalConsumer> consumer_;
};

/// A handle of an event channel, which exists until destroy() is called by this process or, if the options
/// allow it, by a client, or until its service is shut down. Copies refer to the same channel. All functions
/// may be called by any thread, also within upcalls and functions of subscriptions. After the end of the
/// channel, functions that need it raise OBJECT_NOT_EXIST.
class EventChannel {
 public:
  /// The channel for clients: a reference of the interface
  /// IDL:omg.org/CosEventChannelAdmin/EventChannel:1.0, to be narrowed.
  CORBA::object_reference<CORBA::Object> reference() const;

  /// Passes an event to all consumers, as a push supplier does. Events that one thread pushes reach each
  /// consumer in this order. With WhenFull::block, waits for full queues. Raises IMP_LIMIT for an event
  /// larger than a queue, and TRANSIENT if the limit of memory is reached; then no consumer gets the event.
  void push(const CORBA::Any& event) const;

  /// Calls `function` with each event from now on, in a thread of its own, one event at a time. An exception
  /// of the function is logged and counted. Raises NO_RESOURCES if the service has too many
  /// threads.
  [[nodiscard]] EventSubscription subscribe(std::function<void(const CORBA::Any&)> function) const;

  /// Waits until no event is queued for push consumers and subscriptions, or being delivered to them. Returns
  /// false at the deadline. Not from the function of a subscription.
  bool drain(Deadline deadline) const;

  /// Counters.
  EventChannelCounts counts() const;
  /// Counters of the consumers that are connected now.
  std::vector<EventConsumerCounts> consumers() const;

  /// Disconnects all suppliers and consumers, telling them, and ends the channel. Queued events are
  /// discarded; calls of drain() before deliver them. Does not wait for deliveries in progress:
  /// EventService::shutdown does. Idempotent.
  void destroy() const;

 private:
  friend class EventService;
  explicit EventChannel(std::shared_ptr<events::ChannelCore> core) : core_(std::move(core)) {}
  std::shared_ptr<events::ChannelCore> core_;
};

/// Hosts event channels in this process. Each connected push consumer, pull supplier and subscription has a
/// thread, so that none waits for another.
class EventService {
 public:
  /// Creates two child POAs of `poa`, "EventService" and "EventProxies", with its POAManager: one service for
  /// each POA. Throws std::invalid_argument for a limit of 0; raises what create_POA raises.
  explicit EventService(const CORBA::object_reference<PortableServer::POA>& poa,
                        const EventServiceLimits& limits = {});
  /// As shutdown(); exceptions are logged.
  ~EventService();
  EventService(const EventService&) = delete;
  EventService& operator=(const EventService&) = delete;

  /// Creates a channel. Throws std::invalid_argument for invalid options; raises NO_RESOURCES if there are
  /// too many channels, and BAD_INV_ORDER after shutdown(). Any thread.
  EventChannel create_channel(const EventChannelOptions& options = {});
  /// Number of channels. Any thread.
  std::size_t channels() const;
  /// Number of threads that run now. Any thread.
  std::size_t threads() const;
  /// Memory of queued events and of those being delivered, in bytes. Any thread.
  std::size_t queued_bytes() const;

  /// Destroys all channels and waits until no thread of the service runs: at most for two time limits of
  /// calls, if each function and each consumer in this process returns. Idempotent. Before the ORB is shut
  /// down; not within an upcall or a function of a subscription. Any other thread.
  void shutdown();

 private:
  std::shared_ptr<events::Service> service_;
};

}  // namespace orbweaver::services
