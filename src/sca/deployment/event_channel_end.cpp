#include "sca/deployment/event_channel_end.h"

#include <stdexcept>

#include "CosEventChannelAdminC.h"
#include "sca/deployment/known_interfaces.h"

namespace orbweaver::sca {

using ObjectRef = IDL::traits<CORBA::Object>::ref_type;

ObjectRef proxy_of_channel(const LimitedCalls& calls, const ObjectRef& object) {
  const auto channel = calls.narrow<CosEventChannelAdmin::EventChannel>(object);
  if (!channel) return nullptr;
  const auto admin = calls.narrow<CosEventChannelAdmin::ConsumerAdmin>(channel->for_consumers());
  if (!admin) throw std::runtime_error("the event channel has no administration of consumers");
  return calls.object(admin->obtain_push_supplier());
}

void release_proxy(const ObjectRef& proxy) noexcept {
  try {
    if (const auto supplier = IDL::traits<CosEventChannelAdmin::ProxyPushSupplier>::narrow(proxy))
      supplier->disconnect_push_supplier();
  } catch (const std::exception&) {
  }
}

void connect_ends(const LimitedCalls& calls, const ObjectRef& uses, const ObjectRef& provides,
                  const std::string& id) {
  if (const auto port = narrow_port(calls.object(uses))) {
    port->connectPort(provides, id);
    return;
  }
  const auto proxy = calls.narrow<CosEventChannelAdmin::ProxyPushSupplier>(uses);
  if (!proxy) throw std::runtime_error("the uses port is no CF::Port");
  const auto consumer = calls.narrow<CosEventComm::PushConsumer>(provides);
  if (!consumer)
    throw std::runtime_error("the provides port is no CosEventComm::PushConsumer, which can get events");
  proxy->connect_push_consumer(consumer);
}

void disconnect_ends(const LimitedCalls& calls, const ObjectRef& uses, const std::string& id) {
  if (const auto port = narrow_port(calls.object(uses))) {
    port->disconnectPort(id);
  } else if (const auto proxy = calls.narrow<CosEventChannelAdmin::ProxyPushSupplier>(uses)) {
    proxy->disconnect_push_supplier();
  }
}

}  // namespace orbweaver::sca
