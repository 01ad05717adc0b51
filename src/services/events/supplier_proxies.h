#pragma once

#include "CosEventChannelAdminS.h"
#include "services/events/pause.h"
#include "services/events/proxy.h"

namespace orbweaver::services::events {

/// The consumer that the channel is to a push supplier.
class ProxyPushConsumer final
    : public virtual CORBA::servant_traits<CosEventChannelAdmin::ProxyPushConsumer>::base_type,
      public Proxy {
 public:
  explicit ProxyPushConsumer(std::shared_ptr<ChannelCore> core) : Proxy(std::move(core), true) {}

  void connect_push_supplier(IDL::traits<CosEventComm::PushSupplier>::ref_type push_supplier) override;
  void push(const CORBA::Any& data) override;
  void disconnect_push_consumer() override { disconnect(); }

 private:
  void on_end(bool connected) override;

  IDL::traits<CosEventComm::PushSupplier>::ref_type supplier_;  // constant once connected
};

/// The consumer that the channel is to a pull supplier. A thread of its own calls try_pull() of the supplier:
/// pull() could wait for longer than the time limit of a call, and its event would be lost.
class ProxyPullConsumer final
    : public virtual CORBA::servant_traits<CosEventChannelAdmin::ProxyPullConsumer>::base_type,
      public Proxy {
 public:
  explicit ProxyPullConsumer(std::shared_ptr<ChannelCore> core) : Proxy(std::move(core), false) {}

  void connect_pull_supplier(IDL::traits<CosEventComm::PullSupplier>::ref_type pull_supplier) override;
  void disconnect_pull_consumer() override { disconnect(); }

 private:
  void on_end(bool connected) override;
  void run(const IDL::traits<CosEventComm::PullSupplier>::ref_type& supplier);
  CallResult pull_all(const IDL::traits<CosEventComm::PullSupplier>::ref_type& supplier);

  Pause pause_;  // ended with the proxy
};

}  // namespace orbweaver::services::events
