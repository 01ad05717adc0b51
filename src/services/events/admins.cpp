#include "services/events/admins.h"

#include "CosEventChannelAdminS.h"
#include "services/events/consumer_proxies.h"
#include "services/events/supplier_proxies.h"

namespace orbweaver::services::events {
namespace {

using CosEventChannelAdmin::ConsumerAdmin;
using CosEventChannelAdmin::EventChannel;
using CosEventChannelAdmin::SupplierAdmin;
using Side = ChannelCore::Side;

/// Creates a proxy and returns its reference.
template <class Interface, class Servant>
typename IDL::traits<Interface>::ref_type obtain(const std::shared_ptr<ChannelCore>& core, Side side,
                                                 const PoaRef& poa) {
  const auto proxy = CORBA::make_reference<Servant>(core);
  return IDL::traits<Interface>::narrow(core->add_proxy(side, poa, proxy, *proxy));
}

class ConsumerAdminServant final : public virtual CORBA::servant_traits<ConsumerAdmin>::base_type {
 public:
  explicit ConsumerAdminServant(std::shared_ptr<ChannelCore> core) : core_(std::move(core)) {}

  IDL::traits<CosEventChannelAdmin::ProxyPushSupplier>::ref_type obtain_push_supplier() override {
    return obtain<CosEventChannelAdmin::ProxyPushSupplier, ProxyPushSupplier>(core_, Side::consumer,
                                                                              core_->parts->channels_poa);
  }
  IDL::traits<CosEventChannelAdmin::ProxyPullSupplier>::ref_type obtain_pull_supplier() override {
    return obtain<CosEventChannelAdmin::ProxyPullSupplier, ProxyPullSupplier>(core_, Side::consumer,
                                                                              core_->parts->proxies_poa);
  }

 private:
  const std::shared_ptr<ChannelCore> core_;
};

class SupplierAdminServant final : public virtual CORBA::servant_traits<SupplierAdmin>::base_type {
 public:
  explicit SupplierAdminServant(std::shared_ptr<ChannelCore> core) : core_(std::move(core)) {}

  IDL::traits<CosEventChannelAdmin::ProxyPushConsumer>::ref_type obtain_push_consumer() override {
    return obtain<CosEventChannelAdmin::ProxyPushConsumer, ProxyPushConsumer>(core_, Side::supplier,
                                                                              core_->parts->proxies_poa);
  }
  IDL::traits<CosEventChannelAdmin::ProxyPullConsumer>::ref_type obtain_pull_consumer() override {
    return obtain<CosEventChannelAdmin::ProxyPullConsumer, ProxyPullConsumer>(core_, Side::supplier,
                                                                              core_->parts->channels_poa);
  }

 private:
  const std::shared_ptr<ChannelCore> core_;
};

class EventChannelServant final : public virtual CORBA::servant_traits<EventChannel>::base_type {
 public:
  explicit EventChannelServant(std::shared_ptr<ChannelCore> core) : core_(std::move(core)) {}

  IDL::traits<ConsumerAdmin>::ref_type for_consumers() override {
    return IDL::traits<ConsumerAdmin>::narrow(core_->consumer_admin());
  }
  IDL::traits<SupplierAdmin>::ref_type for_suppliers() override {
    return IDL::traits<SupplierAdmin>::narrow(core_->supplier_admin());
  }
  void destroy() override {
    if (!core_->options.clients_may_destroy) {
      throw CORBA::NO_PERMISSION(0, CORBA::CompletionStatus::COMPLETED_NO,
                                 "this event channel is destroyed by its host only");
    }
    core_->destroy();
  }

 private:
  const std::shared_ptr<ChannelCore> core_;
};

}  // namespace

void add_objects(const std::shared_ptr<ChannelCore>& core) {
  core->add_objects(CORBA::make_reference<EventChannelServant>(core),
                    CORBA::make_reference<ConsumerAdminServant>(core),
                    CORBA::make_reference<SupplierAdminServant>(core));
}

}  // namespace orbweaver::services::events
