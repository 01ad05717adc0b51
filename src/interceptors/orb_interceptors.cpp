#include "interceptors/orb_interceptors.h"

#include "base/catch_and_log.h"
#include "interceptors/adapter.h"
#include "interceptors/async_request.h"
#include "interceptors/client_request.h"
#include "interceptors/server_request.h"

namespace orbweaver::interceptors {

void OrbInterceptors::invoke(const CORBA::Object& target, const Operation& operation, cdr::Bound arguments,
                             ArgumentWriter writer, ResultReader reader, transport::Deadline deadline) {
  ClientRequest(*this, target, operation, arguments, writer, reader, deadline).complete();
}

std::unique_ptr<orb::AsyncObserver> OrbInterceptors::accompany(Reference& target,
                                                               const Operation& operation) {
  return client.empty() ? nullptr : std::make_unique<AsyncRequest>(*this, target, operation);
}

orb::InterceptedReply OrbInterceptors::serve(orb::InterceptedRequest& request) {
  return ServerRequest(*this, request).serve();
}

void OrbInterceptors::before_servant_manager(const orb::AdapterInterception* poa) {
  if (ServerRequest* const request = ServerRequest::of_thread(); request != nullptr)
    request->before_servant_manager(static_cast<const Adapter*>(poa));
}

std::shared_ptr<orb::AdapterInterception> OrbInterceptors::adapter_created(orb::InterceptedAdapter created) {
  const auto adapter = std::make_shared<Adapter>(*this, std::move(created));
  adapter->establish();
  const std::lock_guard lock(mutex_);
  adapters_[adapter->name()] = adapter;
  return adapter;
}

std::shared_ptr<const Adapter> OrbInterceptors::find_adapter(
    const PortableInterceptor::AdapterName& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = adapters_.find(name);
  return found == adapters_.end() ? nullptr : found->second;
}

void OrbInterceptors::remove(const Adapter& adapter) {
  const std::lock_guard lock(mutex_);
  // The name may have been used again.
  const auto found = adapters_.find(adapter.name());
  if (found != adapters_.end() && found->second.get() == &adapter) adapters_.erase(found);
}

void OrbInterceptors::adapter_manager_changed(const std::string& manager_id, std::int16_t state) noexcept {
  for (const auto& each : ior) {
    const auto interceptor = IDL::traits<PortableInterceptor::IORInterceptor_3_0>::narrow(each);
    if (!interceptor) continue;
    catch_and_log("adapter_manager_state_changed of an interceptor",
                  [&] { interceptor->adapter_manager_state_changed(manager_id, state); });
  }
}

CORBA::object_reference<CORBA::Policy> OrbInterceptors::create_policy(CORBA::PolicyType type,
                                                                      const CORBA::Any& value) {
  const auto found = factories.find(type);
  return found == factories.end() ? nullptr : found->second->create_policy(type, value);
}

void OrbInterceptors::destroy() noexcept {
  is_destroyed_.store(true, std::memory_order_release);
  const auto end = [](PortableInterceptor::Interceptor& interceptor) {
    catch_and_log("destroy of an interceptor", [&] { interceptor.destroy(); });
  };
  for (const auto& each : client) end(*each.interceptor);
  for (const auto& each : server) end(*each.interceptor);
  for (const auto& each : ior) end(*each);
}

}  // namespace orbweaver::interceptors
