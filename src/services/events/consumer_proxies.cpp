#include "services/events/consumer_proxies.h"

namespace orbweaver::services::events {
namespace {

constexpr auto kNotDone = CORBA::CompletionStatus::COMPLETED_NO;

}  // namespace

ProxyPushSupplier::~ProxyPushSupplier() {
  if (queue_) core_->forget_consumer(queue_);
}

void ProxyPushSupplier::connect_push_consumer(
    IDL::traits<CosEventComm::PushConsumer>::ref_type push_consumer) {
  if (!push_consumer) throw CORBA::BAD_PARAM(0, kNotDone, "connect_push_consumer: nil consumer");
  core_->check_peer(push_consumer);
  connect_once([&] {
    const auto consumer =
        own_reference<CosEventComm::PushConsumer>(push_consumer, core_->options.call_timeout_ms);
    const auto queue = core_->add_consumer(EventConsumerKind::push);
    this->_add_ref();
    const auto self = CORBA::servant_reference<ProxyPushSupplier>::adopt(this);
    queue_ = queue;
    try {
      core_->parts->workers.start("ow-event-push", [self, consumer] { self->run(consumer); });
    } catch (...) {
      queue_ = nullptr;
      core_->remove_consumer(queue);
      core_->forget_consumer(queue);
      throw;
    }
  });
}

void ProxyPushSupplier::run(const IDL::traits<CosEventComm::PushConsumer>::ref_type& consumer) {
  const EventChannelOptions& options = core_->options;
  const CallResult last = deliver_all(*queue_, options.max_failures, options.retry_ms,
                                      [&](const CORBA::Any& event) { consumer->push(event); });
  // The queue is closed if the proxy has ended; otherwise this ends it.
  if (end()) core_->count_removed("event channel: push consumer disconnected", last);
  if (answers(last)) try_call([&] { consumer->disconnect_push_consumer(); });
}

void ProxyPushSupplier::on_end(bool connected) {
  if (connected) core_->remove_consumer(queue_);
}

ProxyPullSupplier::~ProxyPullSupplier() {
  if (queue_) core_->forget_consumer(queue_);
}

void ProxyPullSupplier::connect_pull_consumer(
    IDL::traits<CosEventComm::PullConsumer>::ref_type pull_consumer) {
  connect_once([&] {
    consumer_ = own_reference<CosEventComm::PullConsumer>(pull_consumer, core_->options.call_timeout_ms);
    queue_ = core_->add_consumer(EventConsumerKind::pull);
  });
}

/// Takes an event. False at the deadline.
bool ProxyPullSupplier::take(CORBA::Any& event, Deadline deadline) {
  check_connected();
  QueuedEvent taken;
  switch (queue_->take(taken, deadline)) {
    case streams::TakeResult::taken: break;
    case streams::TakeResult::end: throw CosEventComm::Disconnected();
    default: return false;
  }
  event = taken.event().any();
  queue_->count_delivered();
  return true;
}

CORBA::Any ProxyPullSupplier::pull() {
  CORBA::Any event;
  if (take(event, Deadline::in_ms(core_->options.pull_wait_ms))) return event;
  throw CORBA::TRANSIENT(0, kNotDone, "no event yet: call pull() again, or use try_pull()");
}

CORBA::Any ProxyPullSupplier::try_pull(bool& has_event) {
  CORBA::Any event;
  has_event = take(event, Deadline{0});
  return event;
}

void ProxyPullSupplier::on_end(bool connected) {
  if (!connected) return;
  core_->remove_consumer(queue_);
  if (consumer_) notify([consumer = consumer_] { consumer->disconnect_pull_consumer(); });
}

}  // namespace orbweaver::services::events
