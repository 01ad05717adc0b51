#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <orbweaver/request_info.h>

/// @file
/// Portable interceptors (CORBA 3.3 part 1, 16): objects of the program that take part in each request of an
/// ORB, and in the making of its references. docs/interceptors.md describes them. Programs link
/// orbweaver::interceptors (liborbweaver-interceptors.so), register an ORB initializer, and then call
/// ORB_init:
///
///     class Initializer final : public PortableInterceptor::ORBInitializer {
///       void pre_init(InfoRef info) override { info->add_client_request_interceptor(…); }
///       void post_init(InfoRef) override {}
///     };
///     PortableInterceptor::register_orb_initializer(CORBA::make_reference<Initializer>());
///     auto orb = CORBA::ORB_init(argc, argv);

namespace PortableInterceptor {

/// Raised by an interceptor to forward the request to another object.
class ForwardRequest final : public CORBA::UserException {
 public:
  /// `forward`: the object, whose reference is shared.
  explicit ForwardRequest(CORBA::object_reference<CORBA::Object> forward = {})
      : forward_(std::move(forward)) {}
  /// The object.
  const CORBA::object_reference<CORBA::Object>& forward() const noexcept { return forward_; }
  /// Sets the object.
  void forward(CORBA::object_reference<CORBA::Object> object) { forward_ = std::move(object); }
  const char* _name() const noexcept override { return "PortableInterceptor::ForwardRequest"; }
  const char* _rep_id() const noexcept override {
    return "IDL:omg.org/PortableInterceptor/ForwardRequest:1.0";
  }
  [[noreturn]] void _raise() const override { throw *this; }
  std::size_t _bound() const override;
  void _encode(orbweaver::cdr::Encoder& out) const override;

 private:
  CORBA::object_reference<CORBA::Object> forward_;
};

/// Base of all interceptors. The program derives classes from the interfaces below and creates their objects
/// with CORBA::make_reference. They are called by all threads that make or serve requests.
class Interceptor : public CORBA::LocalObject {
 public:
  /// Name, of which each kind of interceptor has one only in an ORB; empty: none.
  virtual std::string name() = 0;
  /// Called by ORB::destroy. Exceptions are logged.
  virtual void destroy() = 0;
};

/// Takes part in the requests that an ORB sends. The starting points are called in the order of registration,
/// one ending point for each starting point in the reverse order. System exceptions that a function raises
/// replace the result of the request, and the interceptors called after it see them. CORBA 3.3 part 1,
/// 16.3.5.
class ClientRequestInterceptor : public virtual Interceptor {
 public:
  /// Type of the argument.
  using InfoRef = CORBA::object_reference<ClientRequestInfo>;
  /// Before a request is sent, and again if it is repeated. May raise ForwardRequest and system exceptions,
  /// with COMPLETED_NO; the request is then not sent.
  virtual void send_request(InfoRef ri) = 0;
  /// Before a reply is polled for. Not called by this ORB.
  virtual void send_poll(InfoRef ri) = 0;
  /// After the reply, before the client gets the results.
  virtual void receive_reply(InfoRef ri) = 0;
  /// When the client is to get an exception. May raise another one, or ForwardRequest, which repeats the
  /// request.
  virtual void receive_exception(InfoRef ri) = 0;
  /// When the request is repeated or no reply is expected. May raise an exception, or ForwardRequest.
  virtual void receive_other(InfoRef ri) = 0;
};

/// Takes part in the requests that an ORB executes. Order and exceptions as those of
/// ClientRequestInterceptor. CORBA 3.3 part 1, 16.3.8.
class ServerRequestInterceptor : public virtual Interceptor {
 public:
  /// Type of the argument.
  using InfoRef = CORBA::object_reference<ServerRequestInfo>;
  /// Before a servant manager is called. May raise ForwardRequest and system exceptions, with COMPLETED_NO;
  /// the request is then not executed.
  virtual void receive_request_service_contexts(InfoRef ri) = 0;
  /// Before the servant is called. May raise as the former.
  virtual void receive_request(InfoRef ri) = 0;
  /// After the operation, before its results are sent.
  virtual void send_reply(InfoRef ri) = 0;
  /// Before an exception is sent. May raise another one, or ForwardRequest.
  virtual void send_exception(InfoRef ri) = 0;
  /// Before the client is told to send the request to another object, and after a request that has no reply.
  /// May raise an exception, or ForwardRequest.
  virtual void send_other(InfoRef ri) = 0;
};

class IORInterceptor;  // ior_interceptor.h

/// Creates policies of the program's own types (ORBInitInfo::register_policy_factory). CORBA 3.3 part
/// 1, 16.9.
class PolicyFactory : public CORBA::LocalObject {
 public:
  /// Called by ORB::create_policy. Raises PolicyError.
  virtual CORBA::object_reference<CORBA::Policy> create_policy(CORBA::PolicyType type,
                                                               const CORBA::Any& value) = 0;
};

/// Policy type of ProcessingModePolicy; its value in an any is a ProcessingMode.
inline constexpr CORBA::PolicyType PROCESSING_MODE_POLICY_TYPE = 63;
/// Requests in which an interceptor takes part: local ones are those of collocated objects, and for a server
/// also those of other ORBs of its process.
using ProcessingMode = std::int16_t;
inline constexpr ProcessingMode LOCAL_AND_REMOTE = 0;  ///< All requests. The default.
inline constexpr ProcessingMode REMOTE_ONLY = 1;       ///< All but local ones.
inline constexpr ProcessingMode LOCAL_ONLY = 2;        ///< Local ones.

/// Requests in which an interceptor takes part: an argument of ORBInitInfo_3_1. CORBA 3.3 part 1, 16.3.12.
class ProcessingModePolicy : public CORBA::Policy {
 public:
  /// One of the constants above.
  virtual ProcessingMode processing_mode() = 0;
};

/// What ORB initializers are told and may set, during ORB_init only; later its functions raise
/// OBJECT_NOT_EXIST. CORBA 3.3 part 1, 16.7.2.
class ORBInitInfo : public CORBA::LocalObject {
 public:
  /// Name of an initial reference.
  using ObjectId = std::string;

  /// The ORB has an interceptor of this kind and name.
  class DuplicateName final : public CORBA::UserException {
   public:
    /// `name`: that of the interceptor.
    explicit DuplicateName(std::string name = {}) : name_(std::move(name)) {}
    /// The name.
    const std::string& name() const noexcept { return name_; }
    /// Sets the name.
    void name(std::string value) { name_ = std::move(value); }
    const char* _name() const noexcept override { return "PortableInterceptor::ORBInitInfo::DuplicateName"; }
    const char* _rep_id() const noexcept override {
      return "IDL:omg.org/PortableInterceptor/ORBInitInfo/DuplicateName:1.0";
    }
    [[noreturn]] void _raise() const override { throw *this; }
    std::size_t _bound() const override;
    void _encode(orbweaver::cdr::Encoder& out) const override;

   private:
    std::string name_;
  };
  /// The name of an initial reference is empty, taken or unknown.
  class InvalidName final : public orbweaver::UserExceptionWithDetail {
   public:
    /// `detail`: message.
    explicit InvalidName(std::string detail = {}) : UserExceptionWithDetail(std::move(detail)) {}
    const char* _name() const noexcept override { return "PortableInterceptor::ORBInitInfo::InvalidName"; }
    const char* _rep_id() const noexcept override {
      return "IDL:omg.org/PortableInterceptor/ORBInitInfo/InvalidName:1.0";
    }
    [[noreturn]] void _raise() const override { throw *this; }
    std::size_t _bound() const override { return 0; }
    void _encode(orbweaver::cdr::Encoder&) const override {}
  };

  /// The arguments of ORB_init.
  virtual std::vector<std::string> arguments() = 0;
  /// The id of the ORB.
  virtual std::string orb_id() = 0;
  /// Creates codecs.
  virtual CORBA::object_reference<IOP::CodecFactory> codec_factory() = 0;
  /// As ORB::register_initial_reference. Raises InvalidName; BAD_PARAM (OMG minor 27) for nil.
  virtual void register_initial_reference(const ObjectId& id,
                                          const CORBA::object_reference<CORBA::Object>& obj) = 0;
  /// As ORB::resolve_initial_references. Raises InvalidName; BAD_INV_ORDER (OMG minor 14) in pre_init.
  virtual CORBA::object_reference<CORBA::Object> resolve_initial_references(const ObjectId& id) = 0;
  /// Adds an interceptor. Raises DuplicateName; BAD_PARAM (0x4f570040) for nil, as do the next two.
  virtual void add_client_request_interceptor(
      CORBA::object_reference<ClientRequestInterceptor> interceptor) = 0;
  /// See add_client_request_interceptor.
  virtual void add_server_request_interceptor(
      CORBA::object_reference<ServerRequestInterceptor> interceptor) = 0;
  /// See add_client_request_interceptor.
  virtual void add_ior_interceptor(CORBA::object_reference<IORInterceptor> interceptor) = 0;
  /// Returns the number of a new slot of PICurrent.
  virtual SlotId allocate_slot_id() = 0;
  /// Makes ORB::create_policy call `policy_factory` for policies of `type`, which create_POA, references,
  /// threads and ORBs then accept. Raises BAD_INV_ORDER (OMG minor 16) for a type that has a factory or is
  /// a policy of this ORB.
  virtual void register_policy_factory(CORBA::PolicyType type,
                                       CORBA::object_reference<PolicyFactory> policy_factory) = 0;
};

/// The info of this ORB, to which the argument of ORB initializers can be narrowed. CORBA 3.3 part 1, 16.7.2.
class ORBInitInfo_3_1 : public ORBInitInfo {
 public:
  /// As add_client_request_interceptor, with a ProcessingModePolicy. Raises PolicyError for other policies.
  virtual void add_client_request_interceptor_with_policy(
      CORBA::object_reference<ClientRequestInterceptor> interceptor, const CORBA::PolicyList& policies) = 0;
  /// As add_server_request_interceptor, with a ProcessingModePolicy. Raises PolicyError for other policies.
  virtual void add_server_request_interceptor_with_policy(
      CORBA::object_reference<ServerRequestInterceptor> interceptor, const CORBA::PolicyList& policies) = 0;
};

/// Registers interceptors with each new ORB. Exceptions of its functions make ORB_init raise them. CORBA 3.3
/// part 1, 16.7.1.
class ORBInitializer : public CORBA::LocalObject {
 public:
  /// Type of the argument.
  using InfoRef = CORBA::object_reference<ORBInitInfo>;
  /// Called for each initializer before post_init of the first one.
  virtual void pre_init(InfoRef info) = 0;
  /// Called when all initial references of this ORB can be resolved.
  virtual void post_init(InfoRef info) = 0;
};

/// Registers an ORB initializer for the ORBs that this process creates from now on. Any thread. Raises
/// BAD_PARAM (0x4f570040) for nil. CORBA 3.3 part 1, 16.7.3.
void register_orb_initializer(CORBA::object_reference<ORBInitializer> init);

}  // namespace PortableInterceptor

namespace orbweaver {

/// Creates a ProcessingModePolicy, for ORB initializers, which have no ORB::create_policy. Any thread. Raises
/// BAD_PARAM (0x4f57003e) for another mode.
CORBA::object_reference<CORBA::Policy> make_processing_mode_policy(PortableInterceptor::ProcessingMode mode);

}  // namespace orbweaver

namespace IDL {
template <>
struct traits<PortableInterceptor::Interceptor>
    : orbweaver::local_interface_traits<PortableInterceptor::Interceptor> {
  using base_type = PortableInterceptor::Interceptor;  ///< To derive from, as of the next four.
};
template <>
struct traits<PortableInterceptor::ClientRequestInterceptor>
    : orbweaver::local_interface_traits<PortableInterceptor::ClientRequestInterceptor> {
  using base_type = PortableInterceptor::ClientRequestInterceptor;
};
template <>
struct traits<PortableInterceptor::ServerRequestInterceptor>
    : orbweaver::local_interface_traits<PortableInterceptor::ServerRequestInterceptor> {
  using base_type = PortableInterceptor::ServerRequestInterceptor;
};
template <>
struct traits<PortableInterceptor::PolicyFactory>
    : orbweaver::local_interface_traits<PortableInterceptor::PolicyFactory> {
  using base_type = PortableInterceptor::PolicyFactory;
};
template <>
struct traits<PortableInterceptor::ORBInitializer>
    : orbweaver::local_interface_traits<PortableInterceptor::ORBInitializer> {
  using base_type = PortableInterceptor::ORBInitializer;
};
template <>
struct traits<PortableInterceptor::ProcessingModePolicy>
    : orbweaver::local_interface_traits<PortableInterceptor::ProcessingModePolicy> {};
template <>
struct traits<PortableInterceptor::ORBInitInfo>
    : orbweaver::local_interface_traits<PortableInterceptor::ORBInitInfo> {};
template <>
struct traits<PortableInterceptor::ORBInitInfo_3_1>
    : orbweaver::local_interface_traits<PortableInterceptor::ORBInitInfo_3_1> {};
}  // namespace IDL
