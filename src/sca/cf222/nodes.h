#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sca/cf222/device_profiles.h"
#include "sca/cf222/device_state.h"
#include "sca/cf222/domain_parts.h"
#include "sca/cf222/node_connections.h"
#include "sca/cf222/node_description.h"
#include "sca/cf222/node_watch.h"
#include "sca/deployment/deployment.h"
#include "sca/files/file_manager.h"

namespace orbweaver::sca {

/// The nodes of a domain with their devices and services, of both editions: registration, watch, and loss.
/// The functions that are named after operations of CF::DomainManager raise their exceptions. Thread-safe; no
/// lock is held while a node or device is called.
class Nodes {
 public:
  using NodeRef = IDL::traits<CF::DeviceManager>::ref_type;
  using DeviceRef = IDL::traits<CF::Device>::ref_type;
  using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
  /// Called after devices have been removed, with their ids.
  using DevicesLost = std::function<void(const std::vector<std::string>& devices, const std::string& reason)>;

  /// Called after devices have been registered, be it again, with their ids.
  using DevicesRegistered = std::function<void(const std::vector<std::string>& devices)>;

  /// The file systems of nodes are mounted in `files`, and the connections of their DCDs made by
  /// `connections`; both outlive this.
  Nodes(const DomainParts& parts, MountedFileManager& files, NodeConnections& connections,
        DevicesRegistered registered, DevicesLost lost, const NodeWatchOptions& watch = {},
        const DeviceQuestionLimits& questions = {});

  /// Asks the nodes of the model whether they still exist, all at a time; removes those that do not. Called
  /// once, before end().
  void recover();
  /// Ends the watch of the nodes, and waits for its threads.
  void end() { watch_.end(); }

  void register_node(const NodeRef& node);
  void unregister_node(const NodeRef& node);
  void register_device(const DeviceRef& device, const NodeRef& node);
  void unregister_device(const DeviceRef& device);
  void register_service(const ObjectRef& service, const NodeRef& node, const std::string& name);
  void unregister_service(const ObjectRef& service, const std::string& name);

  // Components of SCA 4.1, which describe themselves; the objects are not nil. Exceptions as above.

  /// The record, the devices and services, and `files` of the description are given.
  void register_node(NodeDescription description, const ObjectRef& node);
  /// The record is complete but for the node. Raises DeviceManagerNotRegistered if there is no such node.
  void register_device(RegisteredDevice record, const std::string& node, const ObjectRef& device);
  /// Of the domain itself if `node` is empty. `registrant` is that of its record.
  void register_service(const ObjectRef& service, const std::string& node, const std::string& name,
                        const std::string& registrant = {});
  /// Unregisters the node, device or service of this identifier, whatever its edition. False if there is
  /// none.
  bool unregister(const std::string& id);

  // Records of this identifier: that of the model, or of a node of SCA 4.1 that was lost, and not
  // unregistered, with its devices and services. Calls none.
  std::optional<Node> known_node(const std::string& id);
  std::optional<RegisteredDevice> known_device(const std::string& id);
  std::optional<Service> known_service(const std::string& name);

  /// All devices with their present states, sorted by id. Calls them, kDevicesAtATime at a time, within one
  /// time limit for all (DeviceQuestions).
  std::vector<DeploymentDevice> devices();
  /// All devices with the values of their profiles, sorted by id. Calls none.
  std::vector<DeploymentDevice> registered_devices() const;

 private:
  using Category = StandardEvent::SourceCategoryType;

  NodeRef node_of(const std::string& reference) const;
  /// The devices of a node that exist. Calls them, all at a time.
  std::vector<RegisteredDevice> existing(const std::string& node) const;
  /// What the records of a node of SCA 4.1 say, without the devices that do not exist any more.
  NodeDescription recorded(const Node& node) const;
  /// A node that was lost after time-outs answers again.
  void register_again(const std::string& id, const ObjectRef& node);
  /// The registered node with this reference; empty if there is none.
  std::optional<Node> find(const NodeRef& node) const;
  // The registrations of both editions. `before` are the devices before the node was asked for its own.
  void add(const NodeDescription& node, const ObjectRef& reference,
           const std::vector<RegisteredDevice>& before);
  void add(const DeviceDescription& device, const ObjectRef& reference);
  /// Ends registrations. They raise UnregisterError.
  void remove_node(const std::string& id);
  void remove_device(const RegisteredDevice& record);
  void remove_service(const std::string& name);
  /// Whether this is the object of a record's reference.
  bool is(const ObjectRef& object, const std::string& reference) const;
  /// Whether the object of a record exists. Raises what the call raises: TIMEOUT after as many time-outs in
  /// succession as make the watch report a loss, because one may be due to the load of the machine.
  bool exists(const std::string& reference) const;
  /// The same; false if the call fails.
  bool is_there(const std::string& reference) const;
  /// Whether the object of `reference`, that of a record, exists and is not `object`.
  bool is_another_that_exists(const ObjectRef& object, const std::string& reference) const;
  /// Removes the node if it is registered, and tells of its devices. False if that cannot be stored. Has no
  /// effect if another node than `node`, if that is not nil, has been registered under the id meanwhile.
  bool drop(const std::string& id, const std::string& reason, const ObjectRef& node = nullptr);

  // With changing_ locked. Errors are those of the model.
  /// Keeps the description of a node of SCA 4.1, for register_again().
  void remember(const NodeDescription& node);
  Result<void> put(const NodeDescription& node);
  /// Adds to `replaced` the device's id if an earlier one has been replaced.
  Result<void> put(const DeviceDescription& device, std::vector<std::string>& replaced);
  Result<void> put(const Service& service);
  Result<void> mount(const Node& record, const IDL::traits<CF::FileSystem>::ref_type& files);
  /// Mounts the file system of a node at a further point, unless something is mounted or exists there.
  void mount_alias(const std::string& node, const std::string& point,
                   const IDL::traits<CF::FileSystem>::ref_type& files);
  void unmount(const std::string& node);
  /// The source id of a service's events: that of its componentinstantiation, or its name if the DCD does not
  /// have it.
  std::string source_of(const Service& service) const;

  const DomainParts parts_;
  MountedFileManager& files_;
  NodeConnections& connections_;
  const DevicesRegistered registered_;
  const DevicesLost lost_;
  DeviceProfiles profiles_;
  DeviceQuestions questions_;
  std::mutex changing_;                                     // held while a registration is changed
  std::map<std::string, std::vector<std::string>> mounts_;  // changing_; mount points by node
  std::map<std::string, NodeProfileRef> node_profiles_;     // changing_; by node
  std::map<std::string, NodeDescription> described_;        // changing_; nodes of SCA 4.1, by id
  std::set<std::string> leaving_;  // changing_; removed nodes whose loss is being told
  std::condition_variable left_;   // leaving_ has changed
  NodeWatch watch_;
  const NodeWatchOptions watch_options_;
};

}  // namespace orbweaver::sca
