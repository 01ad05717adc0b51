#pragma once

#include <orbweaver/orb.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "CFC.h"
#include "sca/node/device_manager.h"
#include "sca/node/domain_registrar.h"

namespace orbweaver::sca {

/// Where a node finds its domain manager.
struct DomainAddress {
  /// Reference of the naming service: a corbaloc URL with several addresses if the domain manager is one of
  /// several, which are tried one after another.
  std::string naming;
  std::string name;       ///< In it: "orbweaver/orbweaver".
  std::string reference;  ///< Of the domain manager itself, instead of a name; empty: none.
};

/// Keeps a node and its devices and services registered with its domain manager, of either edition, from a
/// thread of its own: waits for the domain, registers, asks the domain at most every 300 ms whether the node
/// is registered, and registers again with a new domain manager.
class DomainLink {
 public:
  using Message = std::function<void(const std::string&)>;

  /// `manager` outlives the link, and `self` are its objects. `message` is called by the thread of the link.
  DomainLink(IDL::traits<CORBA::ORB>::ref_type orb, DomainAddress address, DeviceManagerServant& manager,
             NodeObjects self, Message message);
  /// Unregisters the node, if stop() has not done so.
  ~DomainLink();
  DomainLink(const DomainLink&) = delete;
  DomainLink& operator=(const DomainLink&) = delete;

  /// Unregisters the node with its devices and services, and ends the thread.
  void stop();

 private:
  void serve();
  void find_domain();
  IDL::traits<CORBA::Object>::ref_type find_in(const std::string& naming) const;
  /// Registers the node unless the domain manager has it.
  void check_registration();
  void synchronize(const DeviceManagerServant::Registrations& now);
  /// Reports once after each registration of the node that the domain has all its devices and services.
  void report_completeness();
  void unregister();
  /// Prints a message, unless it is the one that was printed last.
  void say(const std::string& message);

  const IDL::traits<CORBA::ORB>::ref_type orb_;
  const DomainAddress address_;
  const std::vector<std::string> naming_services_;  // of the naming service
  DeviceManagerServant& manager_;
  const NodeObjects self_;
  const Message message_;
  std::atomic<bool> stop_{false};
  // Of the thread:
  std::size_t naming_service_ = 0;           // in naming_services_: the one that has answered last
  std::unique_ptr<DomainRegistrar> domain_;  // null: it has not been found
  bool is_registered_ = false;
  int timeouts_ = 0;  // calls in succession that ended with TIMEOUT
  std::string said_;
  // Registered with the domain, or rejected by it:
  std::map<std::string, DomainRegistrar::Device> devices_;    // by id
  std::map<std::string, DomainRegistrar::Service> services_;  // by name
  /// Of these, the rejected ones: the domain manager may have another one of the identifier, which is not to
  /// be unregistered.
  std::set<std::string> rejected_devices_, rejected_services_;
  bool is_complete_ = false;  // that has been reported
  std::thread thread_;
};

}  // namespace orbweaver::sca
