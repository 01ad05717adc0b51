#pragma once

#include <orbweaver/orb.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "CFC.h"
#include "sca/node/device_manager.h"

namespace orbweaver::sca {

/// The objects of a node.
struct NodeObjects {
  IDL::traits<CF::DeviceManager>::ref_type manager;
  IDL::traits<CORBA::Object>::ref_type manager41;  ///< In SCA 4.1.
};

/// How a node registers with its domain manager: by the operations of SCA 2.2.2, or, as one of SCA 4.1, by
/// pushing descriptions of itself and of its devices and services to a CF::ComponentRegistry. Functions raise
/// CORBA system exceptions, also TIMEOUT, and Rejected. One thread.
class DomainRegistrar {
 public:
  /// The domain manager rejects something; the message says why.
  struct Rejected : std::runtime_error {
    using runtime_error::runtime_error;
  };
  using Device = DeviceManagerServant::Device;
  using Service = DeviceManagerServant::Service;

  virtual ~DomainRegistrar() = default;

  /// Whether the node is registered, as far as the domain manager tells.
  virtual bool has_node() = 0;
  virtual void register_node() = 0;
  virtual void unregister_node() = 0;
  virtual void register_device(const Device& device) = 0;
  virtual void register_service(const Service& service) = 0;
  // What the domain manager has removed already is no error.
  virtual void unregister_device(const Device& device) = 0;
  virtual void unregister_service(const Service& service) = 0;
};

/// The registrar of a domain manager, by the interfaces that it has; null if it is neither a
/// CF::ComponentRegistry nor a CF::DomainManager. Calls it. `manager` outlives the registrar.
std::unique_ptr<DomainRegistrar> make_registrar(const IDL::traits<CORBA::ORB>::ref_type& orb,
                                                const IDL::traits<CORBA::Object>::ref_type& domain,
                                                const DeviceManagerServant& manager, const NodeObjects& node);

}  // namespace orbweaver::sca
