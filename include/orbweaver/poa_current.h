#pragma once

#include <orbweaver/detail/poa_exception.h>
#include <orbweaver/poa.h>

namespace PortableServer {

/// The object whose operation the calling thread executes: resolve_initial_references("POACurrent"). One
/// object for all threads and requests. In effect for requests of connections and of queues, and for
/// collocated calls; after a nested call it is the outer object again. All functions raise NoContext outside
/// of an operation, and in the calls of servant managers and adapter activators. CORBA 3.3 part 1, 15.3.10.
class Current : public CORBA::LocalObject {
 public:
  /// The thread does not execute an operation of an object.
  ORBWEAVER_DECLARE_POA_EXCEPTION(NoContext, "Current")

  /// The POA of the object.
  virtual CORBA::object_reference<POA> get_POA() = 0;
  /// The id of the object within its POA.
  virtual ObjectId get_object_id() = 0;
  /// A new reference to the object, of its servant's interface. Also raises what POA::create_reference does.
  virtual CORBA::object_reference<CORBA::Object> get_reference() = 0;
  /// The servant that executes the operation; the caller shares it.
  virtual CORBA::servant_reference<Servant> get_servant() = 0;
};

}  // namespace PortableServer

namespace IDL {
template <>
struct traits<PortableServer::Current> : orbweaver::local_interface_traits<PortableServer::Current> {};
}  // namespace IDL
