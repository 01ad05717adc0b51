#include "sca/own_device/domain_events.h"

#include <type_traits>
#include <utility>

#include "base/log.h"
#include "sca/own_device/call_limit.h"

namespace orbweaver::sca {
namespace {

constexpr int kCallMs = 2000;

}  // namespace

DomainEvents::DomainEvents(IDL::traits<CORBA::ORB>::ref_type orb, DomainContext domain)
    : orb_(std::move(orb)), domain_(std::move(domain)),
      thread_("ow-domain-event", [this](const CORBA::Any& event) { return send(event); }) {}

void DomainEvents::push(CORBA::Any event) {
  if (domain_) thread_.push(std::move(event));
}

bool DomainEvents::send(const CORBA::Any& event) noexcept {
  try {
    if (!channel_) connect();
    channel_->push(event);
    return true;
  } catch (const std::exception& e) {
    channel_ = nullptr;
    log::debug([&] { return std::string("the incoming domain channel cannot be called: ") + e.what(); });
    return false;
  }
}

void DomainEvents::connect() {
  const auto limited = [&](const auto& object, auto interface) {
    using Interface = typename decltype(interface)::type;
    auto reference = with_call_limit<Interface>(orb_, object, kCallMs);
    if (!reference) throw CORBA::OBJECT_NOT_EXIST();
    return reference;
  };
  const auto channel = limited(find_in_context(orb_, domain_, "IDM_Channel", kCallMs),
                               std::type_identity<CosEventChannelAdmin::EventChannel>());
  const auto suppliers =
      limited(channel->for_suppliers(), std::type_identity<CosEventChannelAdmin::SupplierAdmin>());
  auto consumer = limited(suppliers->obtain_push_consumer(),
                          std::type_identity<CosEventChannelAdmin::ProxyPushConsumer>());
  consumer->connect_push_supplier(nullptr);
  channel_ = std::move(consumer);
}

}  // namespace orbweaver::sca
