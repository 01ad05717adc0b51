#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <orbweaver/iop.h>
#include <orbweaver/messaging.h>
#include <orbweaver/pi_current.h>

/// @file
/// What interceptors of requests are told (CORBA 3.3 part 1, 16.4). docs/interceptors.md has a table of the
/// functions that may be called at each interception point; elsewhere they raise BAD_INV_ORDER (OMG minor
/// 14).

/// Types of the arguments of requests (CORBA 3.3 part 1, 16.4).
namespace Dynamic {

/// Direction of a parameter.
enum class ParameterMode : std::uint32_t { PARAM_IN, PARAM_OUT, PARAM_INOUT };

/// An argument of a request.
struct Parameter {
  CORBA::Any argument;                           ///< Its value.
  ParameterMode mode = ParameterMode::PARAM_IN;  ///< Its direction.
};
/// Arguments, in order.
using ParameterList = std::vector<Parameter>;
/// Names of the context properties of an operation.
using ContextList = std::vector<std::string>;
/// TypeCodes of the exceptions of an operation.
using ExceptionList = std::vector<CORBA::typecode_reference>;
/// Names and values of context properties.
using RequestContext = std::vector<std::string>;

}  // namespace Dynamic

namespace PortableInterceptor {

/// Result of a request, as of RequestInfo::reply_status.
using ReplyStatus = std::int16_t;
inline constexpr ReplyStatus SUCCESSFUL = 0;        ///< The operation has returned, or no reply is expected.
inline constexpr ReplyStatus SYSTEM_EXCEPTION = 1;  ///< A system exception.
inline constexpr ReplyStatus USER_EXCEPTION = 2;    ///< A user exception.
inline constexpr ReplyStatus LOCATION_FORWARD = 3;  ///< The request is repeated at another object.
inline constexpr ReplyStatus TRANSPORT_RETRY = 4;   ///< The request is sent again.
inline constexpr ReplyStatus UNKNOWN = 5;           ///< Not used by this ORB.

/// What the infos of client and server have in common. Valid within the calls of interceptors only, and for
/// the thread of the request. CORBA 3.3 part 1, 16.4.12.
class RequestInfo : public CORBA::LocalObject {
 public:
  /// A number that identifies the request while it is active.
  virtual std::uint32_t request_id() = 0;
  /// Name of the operation; of an attribute x "_get_x" and "_set_x".
  virtual std::string operation() = 0;
  /// Raises NO_RESOURCES (OMG minor 1): stubs and skeletons do not provide arguments as anys. So do
  /// exceptions, contexts, operation_context and result.
  virtual Dynamic::ParameterList arguments() = 0;
  /// See arguments.
  virtual Dynamic::ExceptionList exceptions() = 0;
  /// See arguments.
  virtual Dynamic::ContextList contexts() = 0;
  /// See arguments.
  virtual Dynamic::RequestContext operation_context() = 0;
  /// See arguments.
  virtual CORBA::Any result() = 0;
  /// Whether the client expects a reply.
  virtual bool response_expected() = 0;
  /// When a one-way call returns; SYNC_WITH_TARGET for two-way calls. A server cannot tell SYNC_NONE from
  /// SYNC_WITH_TRANSPORT, and returns the latter.
  virtual Messaging::SyncScope sync_scope() = 0;
  /// Result of the request.
  virtual ReplyStatus reply_status() = 0;
  /// The object to which the request is forwarded. For LOCATION_FORWARD only.
  virtual CORBA::object_reference<CORBA::Object> forward_reference() = 0;
  /// Value of a slot of the request. Raises InvalidSlot.
  virtual CORBA::Any get_slot(SlotId id) = 0;
  /// A service context of the request. Raises BAD_PARAM (OMG minor 26) if it has none of this kind.
  virtual IOP::ServiceContext get_request_service_context(IOP::ServiceId id) = 0;
  /// A service context of the reply. Raises BAD_PARAM (OMG minor 26) if it has none of this kind.
  virtual IOP::ServiceContext get_reply_service_context(IOP::ServiceId id) = 0;
};

/// A request of a client. CORBA 3.3 part 1, 16.4.13.
class ClientRequestInfo : public virtual RequestInfo {
 public:
  /// The object that the client calls.
  virtual CORBA::object_reference<CORBA::Object> target() = 0;
  /// The object that the ORB calls: that of a forward, or the target.
  virtual CORBA::object_reference<CORBA::Object> effective_target() = 0;
  /// The profile of the effective target that is used.
  virtual IOP::TaggedProfile effective_profile() = 0;
  /// The exception that the client gets. Of a user exception, whose stub has no TypeCode for it, and of an
  /// unknown system exception: UNKNOWN (OMG minor 1, 2).
  virtual CORBA::Any received_exception() = 0;
  /// Repository id of the exception that the client gets.
  virtual std::string received_exception_id() = 0;
  /// The component of this kind in the effective profile, the first one. Raises BAD_PARAM (OMG minor 28) if
  /// there is none.
  virtual IOP::TaggedComponent get_effective_component(IOP::ComponentId id) = 0;
  /// All components of this kind in the effective profile. Raises BAD_PARAM (OMG minor 28) if there is none.
  virtual IOP::TaggedComponentSeq get_effective_components(IOP::ComponentId id) = 0;
  /// The policy of the call, of the target, the thread or the ORB; nil if there is none. Raises INV_POLICY
  /// (OMG minor 2) for a type that is neither a client policy of this ORB nor has a PolicyFactory.
  virtual CORBA::object_reference<CORBA::Policy> get_request_policy(CORBA::PolicyType type) = 0;
  /// Adds a service context to the request. Raises BAD_INV_ORDER (OMG minor 15) if it has one of this kind,
  /// unless `replace`.
  virtual void add_request_service_context(const IOP::ServiceContext& service_context, bool replace) = 0;
};

/// A request that a server executes. CORBA 3.3 part 1, 16.4.14.
class ServerRequestInfo : public virtual RequestInfo {
 public:
  /// The exception that is sent; as ClientRequestInfo::received_exception.
  virtual CORBA::Any sending_exception() = 0;
  /// Id of the object in its POA. Raises NO_RESOURCES (OMG minor 1), as do the following four, if the request
  /// has not reached a servant.
  virtual std::vector<std::uint8_t> object_id() = 0;
  /// Id of the POA (POA::id).
  virtual std::vector<std::uint8_t> adapter_id() = 0;
  /// Id of the server process; empty.
  virtual std::string server_id() = 0;
  /// The id that was passed to ORB_init.
  virtual std::string orb_id() = 0;
  /// Names of the POA and those above it, from "RootPOA" on.
  virtual std::vector<std::string> adapter_name() = 0;
  /// Repository id of the interface of the servant.
  virtual std::string target_most_derived_interface() = 0;
  /// The policy of this type that was passed to create_POA; nil if there is none. Raises INV_POLICY (OMG
  /// minor 3) for a type without a PolicyFactory.
  virtual CORBA::object_reference<CORBA::Policy> get_server_policy(CORBA::PolicyType type) = 0;
  /// Sets a slot of the request. Raises InvalidSlot.
  virtual void set_slot(SlotId id, const CORBA::Any& data) = 0;
  /// Whether the servant has the interface `id`.
  virtual bool target_is_a(const std::string& id) = 0;
  /// Adds a service context to the reply. Raises BAD_INV_ORDER (OMG minor 15) if it has one of this kind,
  /// unless `replace`. A request without a reply loses it.
  virtual void add_reply_service_context(const IOP::ServiceContext& service_context, bool replace) = 0;
};

}  // namespace PortableInterceptor

namespace IDL {
template <>
struct traits<PortableInterceptor::RequestInfo>
    : orbweaver::local_interface_traits<PortableInterceptor::RequestInfo> {};
template <>
struct traits<PortableInterceptor::ClientRequestInfo>
    : orbweaver::local_interface_traits<PortableInterceptor::ClientRequestInfo> {};
template <>
struct traits<PortableInterceptor::ServerRequestInfo>
    : orbweaver::local_interface_traits<PortableInterceptor::ServerRequestInfo> {};
}  // namespace IDL
