#include "services/events/supplier_proxies.h"

namespace orbweaver::services::events {

void ProxyPushConsumer::connect_push_supplier(
    IDL::traits<CosEventComm::PushSupplier>::ref_type push_supplier) {
  connect_once([&] {
    supplier_ = own_reference<CosEventComm::PushSupplier>(push_supplier, core_->options.call_timeout_ms);
  });
}

void ProxyPushConsumer::push(const CORBA::Any& data) {
  check_connected();
  core_->publish(data);
}

void ProxyPushConsumer::on_end(bool connected) {
  if (connected && supplier_) notify([supplier = supplier_] { supplier->disconnect_push_supplier(); });
}

void ProxyPullConsumer::connect_pull_supplier(
    IDL::traits<CosEventComm::PullSupplier>::ref_type pull_supplier) {
  if (!pull_supplier) {
    throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO, "connect_pull_supplier: nil supplier");
  }
  core_->check_peer(pull_supplier);
  connect_once([&] {
    const auto supplier =
        own_reference<CosEventComm::PullSupplier>(pull_supplier, core_->options.call_timeout_ms);
    this->_add_ref();
    const auto self = CORBA::servant_reference<ProxyPullConsumer>::adopt(this);
    core_->parts->workers.start("ow-event-pull", [self, supplier] { self->run(supplier); });
  });
}

/// Passes on the events of the supplier until the proxy ends or too many calls have failed.
CallResult ProxyPullConsumer::pull_all(const IDL::traits<CosEventComm::PullSupplier>::ref_type& supplier) {
  const EventChannelOptions& options = core_->options;
  FailureCount failures(options.max_failures);
  CallResult last;
  while (!pause_.ended()) {
    CORBA::Any event;
    bool has_event = false;
    last = try_call([&] { event = supplier->try_pull(has_event); });
    const bool done = last.kind == CallResult::Kind::done;
    if (!done) core_->count_failed_call();
    if (failures.add(last)) break;
    // An event that the channel rejects is counted there. The next one waits, as it may be rejected, too.
    if (done && has_event && try_call([&] { core_->publish(event); }).kind == CallResult::Kind::done)
      continue;
    pause_.wait_ms(done ? options.poll_ms : options.retry_ms);
  }
  return last;
}

void ProxyPullConsumer::run(const IDL::traits<CosEventComm::PullSupplier>::ref_type& supplier) {
  const CallResult last = pull_all(supplier);
  if (end()) core_->count_removed("event channel: pull supplier disconnected", last);
  if (answers(last)) try_call([&] { supplier->disconnect_pull_supplier(); });
}

void ProxyPullConsumer::on_end(bool) { pause_.end(); }

}  // namespace orbweaver::services::events
