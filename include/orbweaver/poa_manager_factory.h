#pragma once

#include <string>
#include <vector>

#include <orbweaver/detail/poa_exception.h>
#include <orbweaver/poa.h>

namespace PortableServer {

/// POA managers, in no particular order.
using POAManagerSeq = std::vector<CORBA::object_reference<POAManager>>;

/// Creates and lists the POA managers of an ORB: POA::the_POAManagerFactory. Thread-safe. CORBA 3.3 part 1,
/// 15.3.11.
class POAManagerFactory : public CORBA::LocalObject {
 public:
  /// There is a POA manager of that id.
  ORBWEAVER_DECLARE_POA_EXCEPTION(ManagerAlreadyExists, "POAManagerFactory")

  /// Creates a POA manager in state HOLDING, for create_POA. The factory holds a reference to it until the
  /// ORB is destroyed. `policies` is empty: there are no policies of POA managers. Raises
  /// ManagerAlreadyExists; CORBA::PolicyError for a policy; BAD_INV_ORDER (OMG minor 4) after the ORB has
  /// been destroyed.
  virtual CORBA::object_reference<POAManager> create_POAManager(const std::string& id,
                                                                const CORBA::PolicyList& policies) = 0;
  /// Returns the POA managers that exist, whoever created them. Raises nothing.
  virtual POAManagerSeq list() = 0;
  /// Returns the POA manager of that id; nil if there is none. Raises nothing.
  virtual CORBA::object_reference<POAManager> find(const std::string& id) = 0;
};

}  // namespace PortableServer

namespace IDL {
template <>
struct traits<PortableServer::POAManagerFactory>
    : orbweaver::local_interface_traits<PortableServer::POAManagerFactory> {};
}  // namespace IDL
