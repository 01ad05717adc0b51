#pragma once

#include <orbweaver/object.h>
#include <orbweaver/poa.h>
#include <orbweaver/services/event_service.h>

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "CosEventChannelAdminC.h"
#include "StandardEventC.h"

namespace orbweaver::sca {

/// Names of the channels of every domain (SCA 2.2.2 3.1.3.2.3.4.2).
inline constexpr const char* kIncomingChannel = "IDM_Channel";
inline constexpr const char* kOutgoingChannel = "ODM_Channel";

/// Limit of the id under which a consumer is registered.
inline constexpr std::size_t kMaxConsumerIdBytes = 1024;

/// The event channels of a domain, by name, and its standard events. Thread-safe; no lock is held while a
/// consumer is called.
class DomainChannels {
 public:
  using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
  using Category = StandardEvent::SourceCategoryType;

  /// Creates the incoming and the outgoing channel in child POAs of `poa`. `domain` is the identifier of the
  /// domain manager, the producer of events that name no other one.
  DomainChannels(const IDL::traits<PortableServer::POA>::ref_type& poa, std::string domain);

  /// The channel of that name; created if there is none. Empty: the incoming channel. Raises NO_RESOURCES if
  /// there are too many.
  ObjectRef find_or_create(const std::string& name);
  /// The channel of that name; nil if there is none.
  ObjectRef find(const std::string& name) const;
  /// Its counters; all 0 if there is none.
  services::EventChannelCounts counts(const std::string& name) const;

  /// Connects a CosEventComm::PushConsumer. The id of one that has been disconnected, because it has not
  /// answered, can be used again. Raises as CF::DomainManager::registerWithEventChannel; BAD_PARAM for an id
  /// of more than kMaxConsumerIdBytes; NO_RESOURCES at the limit of the channel; and IMP_LIMIT if `client`,
  /// the caller (base/peer_address.h), has registered half as many consumers as a channel may have.
  void connect(const ObjectRef& consumer, const std::string& id, const std::string& channel,
               const std::string& client);
  /// Raises as CF::DomainManager::unregisterFromEventChannel.
  void disconnect(const std::string& id, const std::string& channel);

  /// Calls `function` with each event of the incoming channel, in a thread of its own, until end().
  void listen(std::function<void(const CORBA::Any&)> function);

  // Events on the outgoing channel. `producer` is the identifier of the object whose operation sends the
  // event; empty: the domain manager.
  void added(Category category, const std::string& id, const std::string& name, const ObjectRef& object,
             const std::string& producer = {});
  void removed(Category category, const std::string& id, const std::string& name,
               const std::string& producer = {});
  void terminated(const std::string& device, const std::string& component, const std::string& application);

  /// Ends the channels: consumers are disconnected. Before the ORB is shut down; not within an upcall.
  void end();

 private:
  using ProxyRef = IDL::traits<CosEventChannelAdmin::ProxyPushSupplier>::ref_type;
  struct Consumer {
    std::string client;  ///< Who has registered it.
    ProxyRef proxy;      ///< Nil: being connected.
  };
  using Consumers = std::map<std::string, Consumer>;  // by id
  struct Channel {
    services::EventChannel channel;
    Consumers consumers;
  };

  /// Adds a consumer that is being connected. Raises as connect.
  void add_consumer(const std::string& id, const std::string& channel, const std::string& client);

  /// Forgets the consumers of a channel whose proxies have ended.
  void forget_disconnected(const std::string& channel);
  template <class Event>
  void push(const Event& event);

  const std::string domain_;
  services::EventService service_;
  services::EventChannel incoming_, outgoing_;
  services::EventSubscription subscription_;
  mutable std::mutex mutex_;  // for the following
  std::map<std::string, Channel> channels_;
};

}  // namespace orbweaver::sca
