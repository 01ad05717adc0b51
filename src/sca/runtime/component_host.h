#pragma once

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <memory>
#include <vector>

#include <orbweaver/sca/component.h>
#include "CF41C.h"

namespace orbweaver::sca {

/// The ORB of a process and the components in it. It owns them, and keeps each until it is destroyed itself:
/// packets for a released component may still arrive.
class ComponentHost {
 public:
  /// Creates the ORB from the options -ORB… and removes them from the command line. Without -ORBListen it
  /// listens on TCP, too, if the naming context or component registry of the command line does: see
  /// listen_options(). Raises the exceptions of ORB_init.
  ComponentHost(int& argc, char** argv);
  /// Shuts all components down, then ends the ORB. Waits for calls in progress.
  ~ComponentHost();
  ComponentHost(const ComponentHost&) = delete;
  ComponentHost& operator=(const ComponentHost&) = delete;

  /// Creates a component. Throws what its constructor throws. One thread at a time.
  Component& make(MakeComponent function, Context& context);
  /// Keeps a component that has been created. One thread at a time.
  Component& keep(std::unique_ptr<Component> component);
  /// Binds the object under NAME_BINDING in the context NAMING_CONTEXT_IOR, which are exec params of
  /// `context`.
  void bind(Context& context, const IDL::traits<CORBA::Object>::ref_type& object);
  /// Registers a component at the registry COMPONENT_REGISTRY_IOR, an exec param of `context` (SCA 4.1), for
  /// at most 30 s. Throws std::exception with a message if the registry does not exist, or rejects it.
  void register_component(Context& context, const CF::ComponentType& component);
  /// Serves calls until end().
  void serve() { orb_->run(); }
  /// Lets serve() return; does not wait, so that it may be called in an upcall. Any thread.
  void end() { orb_->shutdown(false); }

  const IDL::traits<CORBA::ORB>::ref_type& orb() const { return orb_; }
  const IDL::traits<PortableServer::POA>::ref_type& poa() const { return poa_; }

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
  IDL::traits<PortableServer::POA>::ref_type poa_;
  std::vector<std::unique_ptr<Component>> components_;
};

}  // namespace orbweaver::sca
