#include "sca/device/domain_events.h"

#include <chrono>
#include <type_traits>
#include <utility>

#include "CosNamingC.h"
#include "base/log.h"
#include "platform/thread.h"
#include "sca/device/call_limit.h"
#include "services/naming/name_text.h"

namespace orbweaver::sca {
namespace {

constexpr int kCallMs = 2000;
constexpr std::chrono::milliseconds kRetry{300};

}  // namespace

DomainEvents::DomainEvents(IDL::traits<CORBA::ORB>::ref_type orb, std::string naming, std::string context)
    : orb_(std::move(orb)), naming_(std::move(naming)), context_(std::move(context)),
      thread_([this] { serve(); }) {}

DomainEvents::~DomainEvents() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void DomainEvents::push(CORBA::Any event) {
  if (naming_.empty() || context_.empty()) return;
  const std::lock_guard lock(mutex_);
  if (waiting_.size() == kMaxWaiting) waiting_.pop_front();
  waiting_.push_back(std::move(event));
  changed_.notify_all();
}

bool DomainEvents::flush(int timeout_ms) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                           [&] { return waiting_.empty() && !sending_; });
}

void DomainEvents::serve() {
  platform::name_this_thread("ow-domain-event");
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stop_ || !waiting_.empty(); });
    if (stop_) return;
    const CORBA::Any event = std::move(waiting_.front());
    waiting_.pop_front();
    sending_ = true;
    lock.unlock();
    const bool sent = send(event);
    lock.lock();
    sending_ = false;
    if (!sent) {
      if (waiting_.size() < kMaxWaiting) waiting_.push_front(event);
      changed_.wait_for(lock, kRetry, [&] { return stop_; });
    }
    changed_.notify_all();
  }
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
  const auto naming =
      limited(orb_->string_to_object(naming_), std::type_identity<CosNaming::NamingContext>());
  CosNaming::Name name = naming::to_name(context_);
  name.emplace_back("IDM_Channel", "");
  const auto channel =
      limited(naming->resolve(name), std::type_identity<CosEventChannelAdmin::EventChannel>());
  const auto suppliers =
      limited(channel->for_suppliers(), std::type_identity<CosEventChannelAdmin::SupplierAdmin>());
  auto consumer = limited(suppliers->obtain_push_consumer(),
                          std::type_identity<CosEventChannelAdmin::ProxyPushConsumer>());
  consumer->connect_push_supplier(nullptr);
  channel_ = std::move(consumer);
}

}  // namespace orbweaver::sca
