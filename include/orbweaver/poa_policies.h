#pragma once

#include <cstdint>

#include <orbweaver/policy.h>

/// @file
/// Policies of POAs, created by the functions of the same names of PortableServer::POA (CORBA 3.3 part 1,
/// 15.3.8).

namespace PortableServer {

/// Whether references outlive the process of their POA (PERSISTENT) or not. CORBA 3.3 part 1, 15.3.8.2.
enum class LifespanPolicyValue : std::uint32_t { TRANSIENT, PERSISTENT };
/// Whether the program (USER_ID) or the POA (SYSTEM_ID) assigns object ids. CORBA 3.3 part 1, 15.3.8.4.
enum class IdAssignmentPolicyValue : std::uint32_t { USER_ID, SYSTEM_ID };
/// Whether a servant may be active under several object ids (MULTIPLE_ID). CORBA 3.3 part 1, 15.3.8.3.
enum class IdUniquenessPolicyValue : std::uint32_t { UNIQUE_ID, MULTIPLE_ID };
/// Whether `_this` and servant_to_reference activate an inactive servant. CORBA 3.3 part 1, 15.3.8.7.
enum class ImplicitActivationPolicyValue : std::uint32_t { IMPLICIT_ACTIVATION, NO_IMPLICIT_ACTIVATION };
/// Whether upcalls of the POA are serialised (SINGLE_THREAD_MODEL), or made by the thread of ORB::run
/// (MAIN_THREAD_MODEL, with -ORBThreads single only). CORBA 3.3 part 1, 15.3.8.1.
enum class ThreadPolicyValue : std::uint32_t { ORB_CTRL_MODEL, SINGLE_THREAD_MODEL, MAIN_THREAD_MODEL };
/// Whether the POA keeps servants in its active object map. CORBA 3.3 part 1, 15.3.8.5.
enum class ServantRetentionPolicyValue : std::uint32_t { RETAIN, NON_RETAIN };
/// What serves a request for an object that is not in the active object map. CORBA 3.3 part 1, 15.3.8.6.
enum class RequestProcessingPolicyValue : std::uint32_t {
  USE_ACTIVE_OBJECT_MAP_ONLY,
  USE_DEFAULT_SERVANT,
  USE_SERVANT_MANAGER
};

/// Policy of type 16. Immutable, as the following six. Any thread.
class ThreadPolicy : public CORBA::Policy {
 public:
  /// The value given to create_thread_policy. Raises nothing.
  virtual ThreadPolicyValue value() const noexcept = 0;
};
/// Policy of type 17.
class LifespanPolicy : public CORBA::Policy {
 public:
  /// The value given to create_lifespan_policy. Raises nothing.
  virtual LifespanPolicyValue value() const noexcept = 0;
};
/// Policy of type 18.
class IdUniquenessPolicy : public CORBA::Policy {
 public:
  /// The value given to create_id_uniqueness_policy. Raises nothing.
  virtual IdUniquenessPolicyValue value() const noexcept = 0;
};
/// Policy of type 19.
class IdAssignmentPolicy : public CORBA::Policy {
 public:
  /// The value given to create_id_assignment_policy. Raises nothing.
  virtual IdAssignmentPolicyValue value() const noexcept = 0;
};
/// Policy of type 20.
class ImplicitActivationPolicy : public CORBA::Policy {
 public:
  /// The value given to create_implicit_activation_policy. Raises nothing.
  virtual ImplicitActivationPolicyValue value() const noexcept = 0;
};
/// Policy of type 21.
class ServantRetentionPolicy : public CORBA::Policy {
 public:
  /// The value given to create_servant_retention_policy. Raises nothing.
  virtual ServantRetentionPolicyValue value() const noexcept = 0;
};
/// Policy of type 22.
class RequestProcessingPolicy : public CORBA::Policy {
 public:
  /// The value given to create_request_processing_policy. Raises nothing.
  virtual RequestProcessingPolicyValue value() const noexcept = 0;
};

}  // namespace PortableServer

namespace IDL {
template <>
struct traits<PortableServer::ThreadPolicy>
    : orbweaver::local_interface_traits<PortableServer::ThreadPolicy> {};
template <>
struct traits<PortableServer::LifespanPolicy>
    : orbweaver::local_interface_traits<PortableServer::LifespanPolicy> {};
template <>
struct traits<PortableServer::IdUniquenessPolicy>
    : orbweaver::local_interface_traits<PortableServer::IdUniquenessPolicy> {};
template <>
struct traits<PortableServer::IdAssignmentPolicy>
    : orbweaver::local_interface_traits<PortableServer::IdAssignmentPolicy> {};
template <>
struct traits<PortableServer::ImplicitActivationPolicy>
    : orbweaver::local_interface_traits<PortableServer::ImplicitActivationPolicy> {};
template <>
struct traits<PortableServer::ServantRetentionPolicy>
    : orbweaver::local_interface_traits<PortableServer::ServantRetentionPolicy> {};
template <>
struct traits<PortableServer::RequestProcessingPolicy>
    : orbweaver::local_interface_traits<PortableServer::RequestProcessingPolicy> {};
}  // namespace IDL
