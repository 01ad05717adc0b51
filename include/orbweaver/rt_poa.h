#pragma once

#include <cstdint>
#include <string>

#include <orbweaver/poa.h>

/// @file
/// Object adapters whose objects have priorities of Real-time CORBA (formal/05-01-04). docs/real-time.md
/// describes their use.

/// The module RTPortableServer of Real-time CORBA.
namespace RTPortableServer {

/// A POA with objects that have priorities of their own. `IDL::traits<RTPortableServer::POA>::narrow` makes
/// one of any POA: it forwards to that POA, whose objects, policies and life it has. All functions raise
/// WrongPolicy unless the PriorityModelPolicy of the POA is SERVER_DECLARED, and with IMPLICIT_ACTIVATION;
/// BAD_PARAM (0x4f570130) for a priority that is negative, or for which the POA has no lane or band; else
/// what the functions without "priority" raise. Thread-safe.
class POA : public PortableServer::POA {
 public:
  /// As create_reference. The priority is published in the reference. It is not kept for the object: activate
  /// that with the same priority.
  virtual ObjectRef create_reference_with_priority(const std::string& repository_id,
                                                   std::int16_t priority) = 0;
  /// As create_reference_with_id, and as above.
  virtual ObjectRef create_reference_with_id_and_priority(const PortableServer::ObjectId& id,
                                                          const std::string& repository_id,
                                                          std::int16_t priority) = 0;
  /// As activate_object. Requests for the object are executed with this priority, which later references
  /// contain.
  virtual PortableServer::ObjectId activate_object_with_priority(const ServantRef& servant,
                                                                 std::int16_t priority) = 0;
  /// As activate_object_with_id, and as above.
  virtual void activate_object_with_id_and_priority(const PortableServer::ObjectId& id,
                                                    const ServantRef& servant, std::int16_t priority) = 0;
};

}  // namespace RTPortableServer

/// @cond internal
namespace orbweaver {
CORBA::object_reference<RTPortableServer::POA> narrow_to_real_time(
    const CORBA::object_reference<PortableServer::POA>& poa);
}  // namespace orbweaver
/// @endcond

namespace IDL {
template <>
struct traits<RTPortableServer::POA> : orbweaver::local_interface_traits<RTPortableServer::POA> {
  /// Any POA as one with priorities; nil for other objects.
  template <class U>
  static CORBA::object_reference<RTPortableServer::POA> narrow(const CORBA::object_reference<U>& object) {
    return orbweaver::narrow_to_real_time(IDL::traits<PortableServer::POA>::narrow(object));
  }
};
}  // namespace IDL
