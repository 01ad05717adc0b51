#include <orbweaver/request_queue.h>
#include <orbweaver/services/event_service.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/catch_and_log.h"
#include "services/events/admins.h"
#include "services/events/channel_core.h"
#include "services/events/event.h"

namespace orbweaver::services {

using events::ChannelCore;
using events::ConsumerQueue;
using events::PoaRef;

namespace events {
namespace {

constexpr auto kNotDone = CORBA::CompletionStatus::COMPLETED_NO;

/// Requests of one proxy that have been read: pushes that wait for a full queue.
constexpr std::size_t kProxyRequests = 16, kProxyBytes = std::size_t{1} << 20;

void require(bool valid, const char* what) {
  if (!valid) throw std::invalid_argument(what);
}

void check(const EventChannelOptions& options) {
  require(options.queue.when_full != streams::WhenFull::reject,
          "EventChannelOptions::queue: WhenFull::reject is not possible");
  require(options.queue.packets > 0 && options.queue.bytes > 0, "EventChannelOptions::queue: limit of 0");
  require(options.block_ms >= 0 && options.retry_ms >= 0 && options.poll_ms >= 0 &&
              options.pull_wait_ms >= 0 && options.idle_ms >= 0,
          "EventChannelOptions: negative time");
  constexpr std::int64_t kMaxMs = std::numeric_limits<std::int64_t>::max() / 2'000'000;  // in ns, from now
  require(options.block_ms <= kMaxMs && options.retry_ms <= kMaxMs && options.poll_ms <= kMaxMs &&
              options.pull_wait_ms <= kMaxMs && options.idle_ms <= kMaxMs &&
              options.call_timeout_ms <= kMaxMs,
          "EventChannelOptions: time too long");
  require(options.call_timeout_ms > 0, "EventChannelOptions::call_timeout_ms must be positive");
  require(options.max_failures > 0, "EventChannelOptions::max_failures must be positive");
  require(options.max_consumers > 0 && options.max_suppliers > 0, "EventChannelOptions: limit of 0 proxies");
}

}  // namespace

/// The channels of a service.
class Service : public std::enable_shared_from_this<Service> {
 public:
  Service(const PoaRef& poa, const EventServiceLimits& limits)
      : max_channels_(limits.max_channels), parts_(std::make_shared<ServiceParts>(limits.max_threads)) {
    require(limits.max_channels > 0 && limits.queued_bytes > 0 && limits.max_threads > 0,
            "EventServiceLimits: limit of 0");
    parts_->channels_poa = poa->create_POA("EventService", poa->the_POAManager(), {});
    try {
      parts_->proxies_poa = poa->create_POA("EventProxies", poa->the_POAManager(),
                                            {make_request_queue_policy(kProxyRequests, kProxyBytes)});
    } catch (...) {
      parts_->channels_poa->destroy(false, false);
      throw;
    }
  }

  /// Second part of the construction: events may discard others of this service.
  void limit_memory(std::size_t bytes) {
    parts_->memory = std::make_shared<EventMemory>(bytes, [service = weak_from_this()](std::size_t needed) {
      const auto self = service.lock();
      return self && self->discard(needed);
    });
  }

  std::shared_ptr<ChannelCore> create_channel(const EventChannelOptions& options) {
    check(options);
    const auto core = std::make_shared<ChannelCore>(parts_, options);
    const std::lock_guard lock(mutex_);
    if (shut_down_) throw CORBA::BAD_INV_ORDER(0, kNotDone, "the event service has been shut down");
    forget_destroyed();
    if (channels_.size() >= max_channels_) {
      throw CORBA::NO_RESOURCES(0, kNotDone,
                                "the event service has " + std::to_string(max_channels_) + " channels");
    }
    channels_.reserve(channels_.size() + 1);
    add_objects(core);
    channels_.push_back(core);
    return core;
  }

  std::size_t channels() {
    const std::lock_guard lock(mutex_);
    forget_destroyed();
    return channels_.size();
  }

  void shutdown() {
    if (parts_->workers.contain_this_thread()) {
      throw CORBA::BAD_INV_ORDER(0x4f4d0003, kNotDone,
                                 "EventService::shutdown within a call of the service would wait for itself");
    }
    std::vector<std::shared_ptr<ChannelCore>> channels;
    {
      const std::lock_guard lock(mutex_);
      shut_down_ = true;
      channels = channels_;
    }
    for (const auto& channel : channels) channel->destroy();
    parts_->workers.join();
    for (PoaRef* const poa : {&parts_->proxies_poa, &parts_->channels_poa}) (*poa)->destroy(false, true);
  }

  const ServiceParts& parts() const { return *parts_; }

 private:
  void forget_destroyed() {
    channels_.erase(std::remove_if(channels_.begin(), channels_.end(),
                                   [](const auto& channel) { return channel->destroyed(); }),
                    channels_.end());
  }

  /// Discards the oldest events of the queue with the most bytes: its consumer is the slowest.
  bool discard(std::size_t needed) {
    std::vector<std::shared_ptr<ChannelCore>> channels;
    {
      const std::lock_guard lock(mutex_);
      channels = channels_;
    }
    std::shared_ptr<ConsumerQueue> fullest;
    std::size_t most = 0;
    for (const auto& channel : channels) {
      for (const auto queues = channel->queues(); const auto& queue : *queues) {
        const std::size_t bytes = queue->bytes();
        if (bytes <= most) continue;
        most = bytes;
        fullest = queue;
      }
    }
    if (fullest) fullest->discard_oldest(needed);  // false if its consumer has just emptied it
    return fullest != nullptr;
  }

  const std::size_t max_channels_;
  const std::shared_ptr<ServiceParts> parts_;
  std::mutex mutex_;
  bool shut_down_ = false;
  std::vector<std::shared_ptr<ChannelCore>> channels_;
};

}  // namespace events

EventService::EventService(const PoaRef& poa, const EventServiceLimits& limits)
    : service_(std::make_shared<events::Service>(poa, limits)) {
  service_->limit_memory(limits.queued_bytes);
}

EventService::~EventService() {
  catch_and_log("shutdown of the event service", [this] { shutdown(); });
}

EventChannel EventService::create_channel(const EventChannelOptions& options) {
  return EventChannel(service_->create_channel(options));
}

std::size_t EventService::channels() const { return service_->channels(); }
std::size_t EventService::threads() const { return service_->parts().workers.running(); }
std::size_t EventService::queued_bytes() const { return service_->parts().memory->used(); }
void EventService::shutdown() { service_->shutdown(); }

CORBA::object_reference<CORBA::Object> EventChannel::reference() const { return core_->channel_reference(); }
void EventChannel::push(const CORBA::Any& event) const { core_->publish(event); }
bool EventChannel::drain(Deadline deadline) const { return core_->pending().wait_for_none(deadline); }
EventChannelCounts EventChannel::counts() const { return core_->counts(); }
void EventChannel::destroy() const { core_->destroy(); }

std::vector<EventConsumerCounts> EventChannel::consumers() const {
  std::vector<EventConsumerCounts> counts;
  for (const auto queues = core_->queues(); const auto& queue : *queues) counts.push_back(queue->counts());
  return counts;
}

namespace events {

/// A subscription: a consumer that is a function of this process, and its thread.
struct LocalConsumer {
  std::shared_ptr<ChannelCore> core;
  std::shared_ptr<ConsumerQueue> queue;
  Pause thread_end;
  std::atomic<std::thread::id> thread{};

  /// The work of the thread.
  void run(const std::function<void(const CORBA::Any&)>& function) {
    thread = std::this_thread::get_id();
    QueuedEvent event;
    while (queue->take(event, Deadline::never()) == streams::TakeResult::taken) {
      if (catch_and_log("function subscribed to an event channel", [&] { function(event.event().any()); })) {
        queue->count_delivered();
      } else {
        queue->count_failed_call();
        queue->count_failed();
      }
      event = {};
    }
  }
};

}  // namespace events

EventSubscription EventChannel::subscribe(std::function<void(const CORBA::Any&)> function) const {
  if (!function) throw std::invalid_argument("EventChannel::subscribe: empty function");
  const auto consumer = std::make_shared<events::LocalConsumer>();
  consumer->core = core_;
  consumer->queue = core_->add_consumer(EventConsumerKind::local);
  const auto forget = [consumer] {
    consumer->core->remove_consumer(consumer->queue);
    consumer->core->forget_consumer(consumer->queue);
  };
  try {
    core_->parts->workers.start("ow-event-local",
                                [consumer, forget, function = std::move(function)]() mutable {
                                  consumer->run(function);
                                  function = nullptr;
                                  forget();
                                  consumer->thread_end.end();
                                });
  } catch (...) {
    forget();
    throw;
  }
  EventSubscription subscription;
  subscription.consumer_ = consumer;
  return subscription;
}

void EventSubscription::end() noexcept {
  const auto consumer = std::exchange(consumer_, nullptr);
  if (!consumer) return;
  consumer->core->remove_consumer(consumer->queue);
  if (consumer->thread != std::this_thread::get_id()) consumer->thread_end.wait();
}

EventConsumerCounts EventSubscription::counts() const {
  return consumer_ ? consumer_->queue->counts() : EventConsumerCounts();
}

}  // namespace orbweaver::services
