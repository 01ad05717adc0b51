#pragma once

#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "sca/cf222/domain_parts.h"
#include "sca/cf222/node_profiles.h"
#include "sca/deployment/deployment.h"
#include "sca/deployment/limited_calls.h"

namespace orbweaver::sca {

/// The connections of the DCDs of the registered nodes (SCA 2.2.2 3.1.3.2.3.5.7.3, registerDeviceManager, and
/// 3.1.3.2.3.5.6.3, registerDevice). A connection is made when both of its ends are known, and waits again
/// when one of them is lost. It is no part of the state: a domain manager that is started again makes it
/// again. Thread-safe; no lock is held while an object is called. Failures are written to the log of the
/// domain.
class NodeConnections {
 public:
  /// Both outlive it.
  NodeConnections(const DomainParts& parts, DeploymentDomain& domain);

  /// The connections of a node that has registered. No effect on those that it has already.
  void add(const std::string& node, const NodeProfileRef& profile);
  /// Makes those whose ends are known, except those of other nodes that have failed: objects that hang delay
  /// only their own node. Blocks while the objects are called, each for a limited time. Called after `node`,
  /// or a device or service of it, has registered.
  void connect(const std::string& node);
  /// Undoes and removes the connections of a node that is not registered any more.
  void remove(const std::string& node);
  /// Devices, or a service, are not registered any more: their connections are undone, and wait for them.
  /// Ports of devices that have ended are not called.
  void devices_lost(const std::vector<std::string>& ids, bool have_ended);
  void service_lost(const std::string& name);
  /// Connects to other services of their type those that have waited for one, or led to one, that was lost
  /// since the last call. Blocks as connect().
  void connect_to_others();

 private:
  using ObjectRef = DeploymentDomain::ObjectRef;

  enum class State { waiting, connecting, made };
  /// One end, when its object is known.
  struct End {
    ObjectRef object;
    std::string owner;  // "device ID" or "service NAME"; empty: another object
    /// The object of SCA 4.1 that has the port, and the name of this; nil: the port is `object`, of 2.2.2.
    ObjectRef accessor = nullptr;
    std::string port = {};
  };
  struct Entry {
    std::string node;
    NodeProfileRef profile;
    const NodeConnection* connection;  // of the profile
    State state = State::waiting;
    // What has happened while the connection was made:
    std::vector<std::string> lost;  // owners
    bool is_removed = false;        // the node
    bool is_repeated = false;       // connect() was called again
    std::string problem;            // that has been reported
    bool may_find_other = false;    // a service of a type was lost, which is the end, or did not answer
    End uses, provides;             // of a connection that is made
  };

  /// Nil: it is not known yet. Throws std::runtime_error if a service of a type does not answer.
  End find(const Entry& entry, const NodeEndpoint& end) const;
  /// As find(), of an id that the DCD does not declare: the device of another node, or of the DCD itself its
  /// node.
  End find_outside(const Entry& entry, const std::string& id) const;
  /// Finds the port of an end, which is its object until then.
  void find_port(End& end, const NodeEndpoint& endpoint, bool is_uses, const std::string& connection) const;
  void connect_ports(const End& uses, const End& provides, const std::string& connection) const;
  void disconnect_port(const End& end, const std::string& connection) const;
  /// Why it cannot be made; empty if it has been made, or its ends are not known.
  std::string make(Entry& entry);
  /// Makes those that wait, if `is_due` says so.
  void connect_if(const std::function<bool(const Entry&)>& is_due);
  void connect(Entry& entry);
  void undo(const Entry& made) const;
  void lost(const std::string& owner, bool has_ended);

  const DomainParts parts_;
  DeploymentDomain& domain_;
  const LimitedCalls calls_;
  std::mutex mutex_;
  /// mutex_. The ends of an entry that is being connected belong to the thread that does it.
  std::list<Entry> entries_;
};

}  // namespace orbweaver::sca
