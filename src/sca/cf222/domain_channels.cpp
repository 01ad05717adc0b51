#include "sca/cf222/domain_channels.h"

#include <orbweaver/any.h>

#include <algorithm>
#include <utility>

#include "CFC.h"
#include "CosEventCommC.h"
#include "base/log.h"
#include "sca/cf222/remote_calls.h"

namespace orbweaver::sca {
namespace {

using CF::DomainManager;
using CosEventComm::PushConsumer;

services::EventChannelOptions channel_options() {
  services::EventChannelOptions options;
  options.clients_may_destroy = false;
  options.connects_own_proxies = false;
  return options;
}

}  // namespace

DomainChannels::DomainChannels(const IDL::traits<PortableServer::POA>::ref_type& poa, std::string domain)
    : domain_(std::move(domain)), service_(poa), incoming_(service_.create_channel(channel_options())),
      outgoing_(service_.create_channel(channel_options())) {
  channels_.emplace(kIncomingChannel, Channel{incoming_, {}});
  channels_.emplace(kOutgoingChannel, Channel{outgoing_, {}});
}

DomainChannels::ObjectRef DomainChannels::find_or_create(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const std::string key = name.empty() ? kIncomingChannel : name;
  auto found = channels_.find(key);
  if (found == channels_.end())
    found = channels_.emplace(key, Channel{service_.create_channel(channel_options()), {}}).first;
  return found->second.channel.reference();
}

DomainChannels::ObjectRef DomainChannels::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = channels_.find(name);
  return found == channels_.end() ? nullptr : found->second.channel.reference();
}

services::EventChannelCounts DomainChannels::counts(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = channels_.find(name);
  return found == channels_.end() ? services::EventChannelCounts() : found->second.channel.counts();
}

void DomainChannels::forget_disconnected(const std::string& channel) {
  Consumers consumers;
  {
    const std::lock_guard lock(mutex_);
    consumers = channels_.at(channel).consumers;
  }
  std::erase_if(consumers, [](const auto& each) {
    try {
      return !each.second.proxy || !each.second.proxy->_non_existent();  // an object of this process
    } catch (const CORBA::OBJECT_NOT_EXIST&) {
      return false;
    }
  });
  const std::lock_guard lock(mutex_);
  auto& all = channels_.at(channel).consumers;
  for (const auto& [id, ended] : consumers)
    if (const auto found = all.find(id); found != all.end() && found->second.proxy == ended.proxy)
      all.erase(found);
}

void DomainChannels::add_consumer(const std::string& id, const std::string& channel,
                                  const std::string& client) {
  const std::size_t max_of_client = channel_options().max_consumers / 2;
  const std::lock_guard lock(mutex_);
  Consumers& consumers = channels_.at(channel).consumers;
  if (consumers.contains(id)) throw DomainManager::AlreadyConnected();
  const auto of_client = std::count_if(consumers.begin(), consumers.end(),
                                       [&](const auto& each) { return each.second.client == client; });
  if (!client.empty() && static_cast<std::size_t>(of_client) >= max_of_client) {
    throw CORBA::IMP_LIMIT(0, CORBA::CompletionStatus::COMPLETED_NO,
                           "this client (" + client + ") has registered " + std::to_string(max_of_client) +
                               " consumers with the channel '" + channel + "': unregister some");
  }
  consumers.emplace(id, Consumer{client, nullptr});
}

void DomainChannels::connect(const ObjectRef& consumer, const std::string& id, const std::string& channel,
                             const std::string& client) {
  if (id.size() > kMaxConsumerIdBytes)
    throw CORBA::BAD_PARAM(
        0, CORBA::CompletionStatus::COMPLETED_NO,
        "the id of a consumer has more than " + std::to_string(kMaxConsumerIdBytes) + " octets");
  const auto admin = IDL::traits<CosEventChannelAdmin::EventChannel>::narrow(find(channel));
  if (!admin) throw DomainManager::InvalidEventChannelName();
  IDL::traits<PushConsumer>::ref_type push;
  try {
    const auto asked = limited<CORBA::Object>(consumer, kAttributeLimit);
    if (asked && asked->_is_a(PushConsumer::_interface_id()))
      push = limited<PushConsumer>(consumer, kAttributeLimit);
  } catch (const CORBA::SystemException& e) {
    throw CF::InvalidObjectReference("the consumer cannot be called: " + why(e));
  }
  if (!push) throw CF::InvalidObjectReference("the object is no CosEventComm::PushConsumer");
  forget_disconnected(channel);
  add_consumer(id, channel, client);
  try {
    const ProxyRef proxy = admin->for_consumers()->obtain_push_supplier();
    proxy->connect_push_consumer(push);
    const std::lock_guard lock(mutex_);
    channels_.at(channel).consumers[id].proxy = proxy;
  } catch (...) {
    const std::lock_guard lock(mutex_);
    channels_.at(channel).consumers.erase(id);
    throw;
  }
}

void DomainChannels::disconnect(const std::string& id, const std::string& channel) {
  ProxyRef proxy;
  {
    const std::lock_guard lock(mutex_);
    const auto found = channels_.find(channel);
    if (found == channels_.end()) throw DomainManager::InvalidEventChannelName();
    const auto consumer = found->second.consumers.find(id);
    if (consumer == found->second.consumers.end() || !consumer->second.proxy)
      throw DomainManager::NotConnected();
    proxy = consumer->second.proxy;
    found->second.consumers.erase(consumer);
  }
  try {
    proxy->disconnect_push_supplier();
  } catch (const CORBA::OBJECT_NOT_EXIST&) {  // disconnected because calls have failed
  }
}

void DomainChannels::listen(std::function<void(const CORBA::Any&)> function) {
  subscription_ = incoming_.subscribe(std::move(function));
}

template <class Event>
void DomainChannels::push(const Event& event) {
  CORBA::Any any;
  any <<= event;
  try {
    outgoing_.push(any);
  } catch (const CORBA::SystemException& e) {
    log::warn("an event on " + std::string(kOutgoingChannel) + " is lost: " + e.what());
  }
}

void DomainChannels::added(Category category, const std::string& id, const std::string& name,
                           const ObjectRef& object, const std::string& producer) {
  push(StandardEvent::DomainManagementObjectAddedEventType(producer.empty() ? domain_ : producer, id, name,
                                                           category, object));
}

void DomainChannels::removed(Category category, const std::string& id, const std::string& name,
                             const std::string& producer) {
  push(StandardEvent::DomainManagementObjectRemovedEventType(producer.empty() ? domain_ : producer, id, name,
                                                             category));
}

void DomainChannels::terminated(const std::string& device, const std::string& component,
                                const std::string& application) {
  push(StandardEvent::AbnormalComponentTerminationEventType(device, component, application));
}

void DomainChannels::end() {
  subscription_.end();
  service_.shutdown();
}

}  // namespace orbweaver::sca
