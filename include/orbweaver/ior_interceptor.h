#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <orbweaver/interceptors.h>

/// @file
/// Interceptors of IORs (CORBA 3.3 part 1, 16.6): they add components to the references that a POA makes, and
/// are told of the states of POAs.

namespace PortableInterceptor {

/// Id of a POA manager (POAManager::get_id).
using AdapterManagerId = std::string;
/// State of a POA or of its manager.
using AdapterState = std::int16_t;
inline constexpr AdapterState HOLDING = 0;       ///< Requests wait.
inline constexpr AdapterState ACTIVE = 1;        ///< Requests are served.
inline constexpr AdapterState DISCARDING = 2;    ///< Requests are rejected with TRANSIENT.
inline constexpr AdapterState INACTIVE = 3;      ///< Requests are rejected with OBJ_ADAPTER, for good.
inline constexpr AdapterState NON_EXISTENT = 4;  ///< The POA has been destroyed.

/// Id of an object in its POA.
using ObjectId = std::vector<std::uint8_t>;
/// Names of a POA and those above it, from "RootPOA" on.
using AdapterName = std::vector<std::string>;

/// Makes the references of the objects of a POA. An object of this process, where the standard has an
/// abstract value type. The program may derive from it, to replace the factory of a POA
/// (IORInfo::current_factory); it is called by any thread. CORBA 3.3 part 1, 16.6.3.
class ObjectReferenceFactory : public CORBA::LocalObject {
 public:
  /// Makes a reference to the object `id` of interface `repository_id`.
  virtual CORBA::object_reference<CORBA::Object> make_object(const std::string& repository_id,
                                                             const ObjectId& id) = 0;
};

/// The factory that a POA has without interceptors. Raises OBJECT_NOT_EXIST once the POA has been destroyed.
class ObjectReferenceTemplate : public ObjectReferenceFactory {
 public:
  /// Id of the server process; empty.
  virtual std::string server_id() = 0;
  /// Id of the ORB.
  virtual std::string orb_id() = 0;
  /// Names of the POA.
  virtual AdapterName adapter_name() = 0;
};
/// Templates of several POAs.
using ObjectReferenceTemplateSeq = std::vector<CORBA::object_reference<ObjectReferenceTemplate>>;

/// A new POA. Valid within the calls of interceptors only. CORBA 3.3 part 1, 16.6.2.
class IORInfo : public CORBA::LocalObject {
 public:
  /// The policy of this type that was passed to create_POA; nil if there is none. Raises INV_POLICY (OMG
  /// minor 3) for a type that is neither a policy of POAs nor has a PolicyFactory.
  virtual CORBA::object_reference<CORBA::Policy> get_effective_policy(CORBA::PolicyType type) = 0;
  /// Adds a component to all profiles of the references. In establish_components only; elsewhere raises
  /// BAD_INV_ORDER (OMG minor 14).
  virtual void add_ior_component(const IOP::TaggedComponent& component) = 0;
  /// Adds a component to the profiles of kind `profile_id`. Raises BAD_PARAM (OMG minor 29) for a kind that
  /// the references do not have: for others than TAG_INTERNET_IOP. Otherwise as add_ior_component.
  virtual void add_ior_component_to_profile(const IOP::TaggedComponent& component,
                                            IOP::ProfileId profile_id) = 0;
  /// Id of the POA manager.
  virtual AdapterManagerId manager_id() = 0;
  /// State of the POA manager.
  virtual AdapterState state() = 0;
  /// The template of the POA. In components_established only; elsewhere raises BAD_INV_ORDER (OMG minor 14),
  /// as do the next two.
  virtual CORBA::object_reference<ObjectReferenceTemplate> adapter_template() = 0;
  /// The factory of the POA: the template, or what an interceptor has set.
  virtual CORBA::object_reference<ObjectReferenceFactory> current_factory() = 0;
  /// Sets the factory of the POA. Raises BAD_PARAM (0x4f570040) for nil.
  virtual void current_factory(CORBA::object_reference<ObjectReferenceFactory> factory) = 0;
};

/// Adds components to references. CORBA 3.3 part 1, 16.6.1.
class IORInterceptor : public virtual Interceptor {
 public:
  /// Called for each new POA, in the thread that creates it. Exceptions are ignored.
  virtual void establish_components(CORBA::object_reference<IORInfo> info) = 0;
};

/// Is also told when the components of a POA are complete, and of states. CORBA 3.3 part 1, 16.6.1.
class IORInterceptor_3_0 : public IORInterceptor {
 public:
  /// Called for each new POA after establish_components of all interceptors. After an exception the POA is
  /// not created: create_POA raises OBJ_ADAPTER (OMG minor 6).
  virtual void components_established(CORBA::object_reference<IORInfo> info) = 0;
  /// A POA manager has another state. Exceptions are ignored, as of the next function.
  virtual void adapter_manager_state_changed(const AdapterManagerId& id, AdapterState state) = 0;
  /// POAs have another state than their manager: they have been destroyed.
  virtual void adapter_state_changed(const ObjectReferenceTemplateSeq& templates, AdapterState state) = 0;
};

}  // namespace PortableInterceptor

namespace IDL {
template <>
struct traits<PortableInterceptor::ObjectReferenceFactory>
    : orbweaver::local_interface_traits<PortableInterceptor::ObjectReferenceFactory> {
  using base_type = PortableInterceptor::ObjectReferenceFactory;  ///< To derive from, as of the last two.
};
template <>
struct traits<PortableInterceptor::ObjectReferenceTemplate>
    : orbweaver::local_interface_traits<PortableInterceptor::ObjectReferenceTemplate> {};
template <>
struct traits<PortableInterceptor::IORInfo>
    : orbweaver::local_interface_traits<PortableInterceptor::IORInfo> {};
template <>
struct traits<PortableInterceptor::IORInterceptor>
    : orbweaver::local_interface_traits<PortableInterceptor::IORInterceptor> {
  using base_type = PortableInterceptor::IORInterceptor;
};
template <>
struct traits<PortableInterceptor::IORInterceptor_3_0>
    : orbweaver::local_interface_traits<PortableInterceptor::IORInterceptor_3_0> {
  using base_type = PortableInterceptor::IORInterceptor_3_0;
};
}  // namespace IDL
