#pragma once

#include <string>

#include <orbweaver/poa.h>

/// @file
/// Objects of the program that a POA asks for servants and for further POAs (CORBA 3.3 part 1, 15.3.3 to
/// 15.3.7). The program derives classes from them and creates these with CORBA::make_reference. The POA holds
/// a reference until it is destroyed.

namespace PortableServer {

/// Base of ServantActivator and ServantLocator. CORBA 3.3 part 1, 15.3.4.
class ServantManager : public CORBA::LocalObject {};

/// Provides servants that the POA keeps: for POAs with RETAIN and USE_SERVANT_MANAGER. The POA makes one call
/// of its activator at a time, in the thread of the request that needs a servant, or that ends an object; an
/// activator may call objects and the POA meanwhile. PortableServer::Current has no context in these calls.
/// CORBA 3.3 part 1, 15.3.5.
class ServantActivator : public ServantManager {
 public:
  /// Returns the servant of `oid`, which becomes active in `adapter`. Called for a request to an object that
  /// is not active; other requests for it wait meanwhile. May raise ForwardRequest, which forwards the
  /// request, and system exceptions, which the client gets. The client gets OBJ_ADAPTER (OMG minor 7) for
  /// nil, and OBJ_ADAPTER (OMG minor 5) for a servant that is active already if the POA has UNIQUE_ID.
  virtual CORBA::servant_reference<Servant> incarnate(const ObjectId& oid,
                                                      CORBA::object_reference<POA> adapter) = 0;
  /// Called when the last request of an object that was deactivated has ended, however it was activated; a
  /// request for `oid`, or its activation, waits meanwhile. The POA then drops its reference to `serv`.
  /// `cleanup_in_progress`: by POA::destroy or POAManager::deactivate. `remaining_activations`: the servant
  /// has further objects in the POA. An exception is logged and has no effect.
  virtual void etherealize(const ObjectId& oid, CORBA::object_reference<POA> adapter,
                           CORBA::servant_reference<Servant> serv, bool cleanup_in_progress,
                           bool remaining_activations) = 0;
};

/// Provides a servant for each request: for POAs with NON_RETAIN and USE_SERVANT_MANAGER. Called by several
/// threads at a time, unless the POA has SINGLE_THREAD_MODEL. PortableServer::Current has no context in these
/// calls. CORBA 3.3 part 1, 15.3.6.
class ServantLocator : public ServantManager {
 public:
  /// What preinvoke passes to postinvoke. Not used by the POA.
  using Cookie = void*;
  /// Returns the servant of one request for `oid`, in the thread that calls its `operation` (of an attribute
  /// `x`, `_get_x` or `_set_x`). May raise ForwardRequest, which forwards the request, and system exceptions,
  /// which the client gets; postinvoke is not called then. The client gets OBJ_ADAPTER (OMG minor 7) for nil.
  virtual CORBA::servant_reference<Servant> preinvoke(const ObjectId& oid,
                                                      CORBA::object_reference<POA> adapter,
                                                      const std::string& operation, Cookie& the_cookie) = 0;
  /// Called in the same thread at the end of the operation, also if it has raised an exception. A system
  /// exception replaces the results; after an exception of the operation it is logged.
  virtual void postinvoke(const ObjectId& oid, CORBA::object_reference<POA> adapter,
                          const std::string& operation, Cookie the_cookie,
                          CORBA::servant_reference<Servant> the_servant) = 0;
};

/// Creates POAs when they are needed: POA::the_activator. CORBA 3.3 part 1, 15.3.3.
class AdapterActivator : public CORBA::LocalObject {
 public:
  /// Called for a request whose POA has no child `name` of `parent`, and by find_POA. Returns whether it has
  /// created the child. Requests for the new POA and its descendants wait until then, those of this thread
  /// excepted. The client gets OBJECT_NOT_EXIST (OMG minor 2) for false, and OBJ_ADAPTER (OMG minor 1) after
  /// an exception.
  virtual bool unknown_adapter(CORBA::object_reference<POA> parent, const std::string& name) = 0;
};

}  // namespace PortableServer

namespace IDL {
template <>
struct traits<PortableServer::ServantManager>
    : orbweaver::local_interface_traits<PortableServer::ServantManager> {
  using base_type = PortableServer::ServantManager;  ///< To derive from, as of the next three.
};
template <>
struct traits<PortableServer::ServantActivator>
    : orbweaver::local_interface_traits<PortableServer::ServantActivator> {
  using base_type = PortableServer::ServantActivator;
};
template <>
struct traits<PortableServer::ServantLocator>
    : orbweaver::local_interface_traits<PortableServer::ServantLocator> {
  using base_type = PortableServer::ServantLocator;
};
template <>
struct traits<PortableServer::AdapterActivator>
    : orbweaver::local_interface_traits<PortableServer::AdapterActivator> {
  using base_type = PortableServer::AdapterActivator;
};
}  // namespace IDL
