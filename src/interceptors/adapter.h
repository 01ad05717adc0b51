#pragma once

#include <orbweaver/ior_interceptor.h>
#include <orbweaver/poa.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "orb/interception.h"

namespace orbweaver::interceptors {

class OrbInterceptors;

/// Names of a POA and those above it, from the root POA on.
PortableInterceptor::AdapterName adapter_name_of(CORBA::object_reference<PortableServer::POA> poa);
/// Raises INV_POLICY: the type has no PolicyFactory.
[[noreturn]] void raise_no_policy_factory(CORBA::PolicyType type);

/// A component that interceptors have added to the references of a POA.
struct AddedComponent {
  giop::TaggedData component;
  std::optional<std::uint32_t> profile;  ///< Kind of the profiles that get it; all profiles without.
};

/// One POA: what interceptors of IORs have made of its references. Thread-safe.
class Adapter final : public orb::AdapterInterception, public std::enable_shared_from_this<Adapter> {
 public:
  Adapter(OrbInterceptors& orb, orb::InterceptedAdapter created);

  const PortableInterceptor::AdapterName& name() const noexcept { return created_.name; }
  const std::string& orb_id() const noexcept;
  /// The policy of this type that was passed to create_POA; nil: none.
  CORBA::object_reference<CORBA::Policy> policy(CORBA::PolicyType type) const;
  const orb::InterceptedAdapter& created() const noexcept { return created_; }
  const OrbInterceptors& orb() const noexcept { return orb_; }

  /// Calls the interceptors for the new POA. Raises OBJ_ADAPTER.
  void establish();
  /// Makes a reference as without interceptors. Raises OBJECT_NOT_EXIST if the POA has been destroyed.
  CORBA::object_reference<CORBA::Object> make_plain_object(const std::string& repository_id,
                                                           const std::vector<std::uint8_t>& id) const;

  void add_components(giop::Ior& ior) const override;
  CORBA::object_reference<CORBA::Object> make_object(const std::string& repository_id,
                                                     const std::vector<std::uint8_t>& id) const override;
  void destroyed() noexcept override;

 private:
  friend class IorInfo;

  OrbInterceptors& orb_;
  orb::InterceptedAdapter created_;
  std::vector<AddedComponent> components_;  // set by `establish`, as the next two
  CORBA::object_reference<PortableInterceptor::ObjectReferenceTemplate> template_;
  CORBA::object_reference<PortableInterceptor::ObjectReferenceFactory> factory_;
  mutable std::mutex mutex_;  // guards created_.make
};

}  // namespace orbweaver::interceptors
