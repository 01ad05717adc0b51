#pragma once

#include "CosEventChannelAdminS.h"
#include "services/events/proxy.h"

namespace orbweaver::services::events {

/// The supplier that the channel is to a push consumer. A thread of its own calls the consumer.
class ProxyPushSupplier final
    : public virtual CORBA::servant_traits<CosEventChannelAdmin::ProxyPushSupplier>::base_type,
      public Proxy {
 public:
  explicit ProxyPushSupplier(std::shared_ptr<ChannelCore> core) : Proxy(std::move(core), false) {}
  ~ProxyPushSupplier() override;

  void connect_push_consumer(IDL::traits<CosEventComm::PushConsumer>::ref_type push_consumer) override;
  void disconnect_push_supplier() override { disconnect(); }

 private:
  void on_end(bool connected) override;
  void run(const IDL::traits<CosEventComm::PushConsumer>::ref_type& consumer);

  std::shared_ptr<ConsumerQueue> queue_;  // constant once connected
};

/// The supplier that the channel is to a pull consumer.
class ProxyPullSupplier final
    : public virtual CORBA::servant_traits<CosEventChannelAdmin::ProxyPullSupplier>::base_type,
      public Proxy {
 public:
  explicit ProxyPullSupplier(std::shared_ptr<ChannelCore> core) : Proxy(std::move(core), true) {}
  ~ProxyPullSupplier() override;

  void connect_pull_consumer(IDL::traits<CosEventComm::PullConsumer>::ref_type pull_consumer) override;
  CORBA::Any pull() override;
  CORBA::Any try_pull(bool& has_event) override;
  void disconnect_pull_supplier() override { disconnect(); }

 private:
  void on_end(bool connected) override;
  bool take(CORBA::Any& event, Deadline deadline);

  // Constant once connected.
  std::shared_ptr<ConsumerQueue> queue_;
  IDL::traits<CosEventComm::PullConsumer>::ref_type consumer_;
};

}  // namespace orbweaver::services::events
