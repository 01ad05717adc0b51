#pragma once

#include <string>

#include <orbweaver/dynamic.h>
#include <orbweaver/poa.h>

/// @file
/// The dynamic skeleton interface (CORBA 3.3 part 1, 12): servants of interfaces that the program knows at
/// run time only. Programs link orbweaver::dynamic (liborbweaver-dynamic.so).
///
///     class Divider final : public PortableServer::DynamicImplementation {
///       void invoke(const IDL::traits<CORBA::ServerRequest>::ref_type& request) override {
///         auto arguments = CORBA::make_reference<CORBA::NVList>();
///         if (request->operation() == "divide") {
///           arguments->add_item("dividend", CORBA::ARG_IN)->type(CORBA::_tc_long);
///           arguments->add_item("divisor", CORBA::ARG_IN)->type(CORBA::_tc_long);
///         }
///         request->arguments(arguments);
///         …
///         request->set_result(quotient);  // an any
///       }
///       std::string _primary_interface(const PortableServer::ObjectId&,
///                                      const IDL::traits<PortableServer::POA>::ref_type&) override {
///         return "IDL:Test/Divider:1.0";
///       }
///     };

namespace CORBA {
class ServerRequest;
}
namespace IDL {
template <>
struct traits<CORBA::ServerRequest> : orbweaver::dynamic_traits<CORBA::ServerRequest> {};
}  // namespace IDL

namespace CORBA {

/// A request as a DynamicImplementation receives it (CORBA 3.3 part 1, 12.2). Used by the thread that
/// executes it, until invoke returns: then all functions but `operation` raise BAD_INV_ORDER (0x4f5700e6).
class ServerRequest : public RefCounted {
 public:
  /// Reference to a request.
  using _ref_type = object_reference<ServerRequest>;

  /// The operation. Accessors of the attribute x are "_get_x" and "_set_x".
  virtual const std::string& operation() const noexcept = 0;
  /// Decodes the arguments. `parameters`: all parameters of the operation in order, with their flags and
  /// types; the values of those that are received are set here, and those that are returned may be set until
  /// invoke returns. Called once, also for an operation without parameters. Raises BAD_INV_ORDER (OMG minor
  /// 7) the second time, and after set_exception; BAD_TYPECODE (0x4f5700e0) for a parameter without a type;
  /// MARSHAL if the request has not these arguments; BAD_PARAM (0x4f570040) for nil.
  virtual void arguments(const object_reference<NVList>& parameters) = 0;
  /// The context that the request contains; nil if it has none. To be called after `arguments` for operations
  /// with a context clause. Raises BAD_INV_ORDER (OMG minor 8) the second time, before `arguments`, and after
  /// set_result or set_exception; MARSHAL.
  virtual object_reference<Context> ctx() = 0;
  /// Sets the result. Not called for operations without one. Raises BAD_INV_ORDER (OMG minor 9) the second
  /// time, before `arguments`, and after set_exception.
  virtual void set_result(const Any& value) = 0;
  /// Sets the exception that the operation raises, in place of results: a user exception, or a system
  /// exception with its standard members. Raises BAD_PARAM (OMG minor 21) for a value that is none.
  virtual void set_exception(const Any& value) = 0;

 protected:
  ServerRequest() = default;
  ~ServerRequest() override = default;
};

}  // namespace CORBA

namespace PortableServer {

/// Base of servants without a generated skeleton (CORBA 3.3 part 1, 12.3). It may be activated as any
/// servant, and be a default servant: one for all objects and interfaces. Several threads may call it at a
/// time. Calls within the process, too, use a transport.
///
/// The operations of CORBA::Object are not passed to `invoke`: `_is_a` and `_non_existent` call the functions
/// of these names, `_repository_id` calls `_primary_interface`, and `_component` and `_interface` are
/// answered as for all servants.
class DynamicImplementation : public virtual Servant {
 public:
  /// Executes a request. It may throw system exceptions, and an UnknownUserException, as a dynamic call
  /// raises it, which the client gets as the exception that it contains. If it calls neither `arguments` nor
  /// `set_exception`, the client gets BAD_INV_ORDER (0x4f5700e7); BAD_TYPECODE (0x4f5700e0) if a parameter
  /// that is returned has no value.
  virtual void invoke(const CORBA::object_reference<CORBA::ServerRequest>& request) = 0;
  /// Returns the repository id of the interface of an object. Called when references are made, and for
  /// requests, by any thread.
  virtual std::string _primary_interface(const ObjectId& oid, const CORBA::object_reference<POA>& poa) = 0;
  /// Returns whether the object of the request has the interface: CORBA::Object or its primary interface.
  /// To be overridden for interfaces that inherit others.
  bool _is_a(const std::string& repository_id) override;

  /// Returns a reference: in a request, to its object; else to this servant, which is activated in
  /// _default_POA() if necessary, as generated servants.
  CORBA::object_reference<CORBA::Object> _this() { return _this_object(); }

  /// @cond internal
  bool _dispatch(orbweaver::ServerCall& call) override;
  void* _as(const orbweaver::Interface* interface) noexcept override;
  const orbweaver::Interface& _interface() const noexcept override;
  /// @endcond

 protected:
  DynamicImplementation() = default;
  ~DynamicImplementation() override;
};

}  // namespace PortableServer
