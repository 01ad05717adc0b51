#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <orbweaver/any.h>
#include <orbweaver/context.h>
#include <orbweaver/object.h>

/// @file
/// The dynamic invocation interface (CORBA 3.3 part 1, 11): calls of operations that the program knows at run
/// time only. Programs link orbweaver::dynamic (liborbweaver-dynamic.so).
///
///     auto request = orbweaver::create_request(object, "divide");
///     request->add_in_arg("dividend") <<= std::int32_t{17};
///     request->add_in_arg("divisor") <<= std::int32_t{5};
///     request->add_out_arg("remainder", CORBA::_tc_long);
///     request->set_return_type(CORBA::_tc_long);
///     request->exceptions()->add(refused);  // its TypeCode
///     request->invoke();
///     std::int32_t quotient = 0;
///     request->return_value() >>= quotient;

namespace CORBA {

class ContextList;
class ExceptionList;
class NamedValue;
class NVList;
class Request;

/// Modes of arguments: one of the ARG_ constants.
using Flags = std::uint32_t;
inline constexpr Flags ARG_IN = 1;     ///< The argument is sent with the request.
inline constexpr Flags ARG_OUT = 2;    ///< The argument is received with the reply.
inline constexpr Flags ARG_INOUT = 3;  ///< Both.

/// Raised for the index of an element that a list does not have.
class Bounds final : public orbweaver::UserExceptionWithDetail {
 public:
  /// `detail`: message.
  explicit Bounds(std::string detail = {}) : UserExceptionWithDetail(std::move(detail)) {}
  const char* _name() const noexcept override { return "CORBA::Bounds"; }
  const char* _rep_id() const noexcept override { return "IDL:omg.org/CORBA/Bounds:1.0"; }
  [[noreturn]] void _raise() const override { throw *this; }
  std::size_t _bound() const override { return 0; }
  void _encode(orbweaver::cdr::Encoder&) const override {}
};

/// A user exception that a dynamic call has raised, and that the list of its request declares.
class UnknownUserException final : public orbweaver::UserExceptionWithDetail {
 public:
  UnknownUserException() : UserExceptionWithDetail({}) {}
  /// `exception` contains the exception, with its TypeCode.
  explicit UnknownUserException(Any exception);
  const char* _name() const noexcept override { return "CORBA::UnknownUserException"; }
  const char* _rep_id() const noexcept override { return "IDL:omg.org/CORBA/UnknownUserException:1.0"; }
  [[noreturn]] void _raise() const override { throw *this; }
  std::size_t _bound() const override { return 0; }
  void _encode(orbweaver::cdr::Encoder&) const override {}
  /// The exception.
  const Any& exception() const noexcept { return exception_; }
  /// The exception, for modification.
  Any& exception() noexcept { return exception_; }

 private:
  Any exception_;
};

}  // namespace CORBA

namespace orbweaver {

/// Traits of the objects of the dynamic invocation interface, which exist in one process only.
template <class T>
struct dynamic_traits : reference_traits<T> {
  static constexpr bool is_local = true;  ///< Not sent.
};

}  // namespace orbweaver

namespace IDL {
template <>
struct traits<CORBA::NamedValue> : orbweaver::dynamic_traits<CORBA::NamedValue> {};
template <>
struct traits<CORBA::NVList> : orbweaver::dynamic_traits<CORBA::NVList> {};
template <>
struct traits<CORBA::ExceptionList> : orbweaver::dynamic_traits<CORBA::ExceptionList> {};
template <>
struct traits<CORBA::ContextList> : orbweaver::dynamic_traits<CORBA::ContextList> {};
template <>
struct traits<CORBA::Request> : orbweaver::dynamic_traits<CORBA::Request> {};
}  // namespace IDL

namespace CORBA {

/// An argument or the result of a request: name, value and mode (CORBA 3.3 part 1, 11.1). One thread at a
/// time, as all classes of this header.
class NamedValue final : public RefCounted {
 public:
  /// Reference to a NamedValue.
  using _ref_type = object_reference<NamedValue>;
  /// An argument. `type`: what is received for it; nil: the type of the value.
  NamedValue(std::string name, Any value, Flags flags, typecode_reference type = nullptr)
      : name_(std::move(name)), value_(std::move(value)), flags_(flags), type_(std::move(type)) {}

  /// Name; may be empty. Requests do not contain it.
  const std::string& name() const noexcept { return name_; }
  /// The value.
  const Any& value() const noexcept { return value_; }
  /// The value, for modification.
  Any& value() noexcept { return value_; }
  /// The mode.
  Flags flags() const noexcept { return flags_; }
  /// The type that is received for it.
  typecode_reference type() const { return type_ == nullptr ? value_.type() : type_; }
  /// Sets the type that is received for it; nil: the type of the value.
  void type(typecode_reference type) { type_ = std::move(type); }

 private:
  std::string name_;
  Any value_;
  Flags flags_;
  typecode_reference type_;
};

/// Arguments of a request, in the order of its operation (CORBA 3.3 part 1, 11.4).
class NVList final : public RefCounted {
 public:
  /// Reference to a list.
  using _ref_type = object_reference<NVList>;
  /// Number of elements.
  std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(items_.size()); }
  /// Adds an element without a name and a value, and returns it.
  object_reference<NamedValue> add(Flags flags) { return add_value({}, {}, flags); }
  /// Adds an element without a value, and returns it.
  object_reference<NamedValue> add_item(const std::string& name, Flags flags) {
    return add_value(name, {}, flags);
  }
  /// Adds an element, and returns it.
  object_reference<NamedValue> add_value(const std::string& name, const Any& value, Flags flags);
  /// Returns element `index`, from 0. Raises Bounds.
  object_reference<NamedValue> item(std::uint32_t index) const;
  /// Removes element `index`. Raises Bounds.
  void remove(std::uint32_t index);

 private:
  std::vector<object_reference<NamedValue>> items_;
};

/// TypeCodes of the user exceptions that an operation may raise.
class ExceptionList final : public RefCounted {
 public:
  /// Reference to a list.
  using _ref_type = object_reference<ExceptionList>;
  /// Number of elements.
  std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(items_.size()); }
  /// Adds an element. Raises BAD_TYPECODE (0x4f5700e0) unless it is the TypeCode of an exception.
  void add(const typecode_reference& exception);
  /// Returns element `index`, from 0. Raises Bounds.
  typecode_reference item(std::uint32_t index) const;
  /// Removes element `index`. Raises Bounds.
  void remove(std::uint32_t index);

 private:
  std::vector<typecode_reference> items_;
};

/// The context clause of an operation: names of the properties that a request sends with its arguments, each
/// of which may end with '*'.
class ContextList final : public RefCounted {
 public:
  /// Reference to a list.
  using _ref_type = object_reference<ContextList>;
  /// Number of elements.
  std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(items_.size()); }
  /// Adds an element.
  void add(const std::string& name) { items_.push_back(name); }
  /// Returns element `index`, from 0. Raises Bounds.
  std::string item(std::uint32_t index) const;
  /// Removes element `index`. Raises Bounds.
  void remove(std::uint32_t index);

 private:
  std::vector<std::string> items_;
};

/// One call of an operation that the program knows at run time only (CORBA 3.3 part 1, 11.2). A request is
/// sent once: the functions that send raise BAD_INV_ORDER (OMG minor 10) the second time. They also raise
/// BAD_TYPECODE (0x4f5700e0), COMPLETED_NO, if an argument that is sent has no value, or one that is received
/// no type. Policies of the target, the thread and the ORB apply as for calls of stubs; calls of an object of
/// this process use a transport, too.
class Request : public RefCounted {
 public:
  /// Reference to a request.
  using _ref_type = object_reference<Request>;

  /// The object that is called.
  virtual object_reference<Object> target() const = 0;
  /// The operation. Accessors of the attribute x are "_get_x" and "_set_x".
  virtual const std::string& operation() const noexcept = 0;
  /// The arguments.
  virtual object_reference<NVList> arguments() const = 0;
  /// The result, without a name. Its type is void until set_return_type.
  virtual object_reference<NamedValue> result() const = 0;
  /// The user exceptions that the operation may raise. Others are raised as UNKNOWN (OMG minor 1).
  virtual object_reference<ExceptionList> exceptions() const = 0;
  /// The names of the context properties that the operation has in its context clause. If there are any, the
  /// request contains the properties of `ctx()` that match.
  virtual object_reference<ContextList> contexts() const = 0;
  /// The context of which properties are sent; nil: one without properties.
  virtual object_reference<Context> ctx() const = 0;
  /// Sets the context.
  virtual void ctx(const object_reference<Context>& context) = 0;

  /// Adds an argument, and returns its value, to be set.
  Any& add_in_arg(const std::string& name = {}) { return add(name, ARG_IN); }
  /// Adds an argument, and returns its value, to be set; it is replaced by the received one.
  Any& add_inout_arg(const std::string& name = {}) { return add(name, ARG_INOUT); }
  /// Adds an argument, and returns its value, which is to be set to one of the type that is received, for
  /// instance 0; it is replaced by the received one.
  Any& add_out_arg(const std::string& name = {}) { return add(name, ARG_OUT); }
  /// Adds an argument of which the type is received, and returns its value. Of Orbweaver.
  Any& add_out_arg(const std::string& name, const typecode_reference& type) {
    Any& value = add(name, ARG_OUT);
    arguments()->item(arguments()->count() - 1)->type(type);
    return value;
  }
  /// Sets the type of the result.
  void set_return_type(const typecode_reference& type) { result()->type(type); }
  /// The value of the result; empty before it has been received.
  Any& return_value() { return result()->value(); }

  /// Makes the call, and waits for its reply. Raises UnknownUserException for an exception of `exceptions`,
  /// and the system exceptions of any call. Arguments and result are then unchanged.
  virtual void invoke() = 0;
  /// Sends the request as a one-way call: SyncScope decides when this returns. There are no results.
  virtual void send_oneway() = 0;
  /// Begins the call, and returns. The call is made by a thread of its own, with the policies of this one, so
  /// that requests may overtake each other. Raises NO_RESOURCES (0x4f5700e1) if kMaxDeferredRequests are in
  /// progress. No one may use arguments and result until the reply has been taken.
  virtual void send_deferred() = 0;
  /// Returns whether get_response would not wait. Raises BAD_INV_ORDER before send_deferred (OMG minor 11),
  /// after get_response (12), and for requests that were sent otherwise (13).
  virtual bool poll_response() = 0;
  /// Waits for the reply to a request of send_deferred, and takes it: raises what invoke would raise. Raises
  /// BAD_INV_ORDER as poll_response.
  virtual void get_response() = 0;

 protected:
  Request() = default;
  ~Request() override = default;
  /// Adds an argument, and returns its value.
  virtual Any& add(const std::string& name, Flags flags) = 0;
};

}  // namespace CORBA

namespace orbweaver {

/// The number of requests of CORBA::Request::send_deferred that may be in progress in a process.
inline constexpr std::size_t kMaxDeferredRequests = 256;

/// Returns a request to `target` without arguments, result and exceptions, as `_request` of the standard.
/// Raises BAD_PARAM (0x4f570040) for a nil target, and BAD_INV_ORDER (0x4f57003f) for a local object.
CORBA::object_reference<CORBA::Request> create_request(const CORBA::object_reference<CORBA::Object>& target,
                                                       const std::string& operation);
/// As `_create_request` of the standard: returns a request that shares these parts; nil stands for an empty
/// one. Raises as the other function.
CORBA::object_reference<CORBA::Request> create_request(
    const CORBA::object_reference<CORBA::Object>& target,
    const CORBA::object_reference<CORBA::Context>& context, const std::string& operation,
    const CORBA::object_reference<CORBA::NVList>& arguments,
    const CORBA::object_reference<CORBA::NamedValue>& result,
    const CORBA::object_reference<CORBA::ExceptionList>& exceptions = nullptr,
    const CORBA::object_reference<CORBA::ContextList>& contexts = nullptr);

/// Requests that are sent together.
using RequestSeq = std::vector<CORBA::object_reference<CORBA::Request>>;

/// Sends the requests as one-way calls, in order (CORBA 3.3 part 1, 11.3.1). Raises the first exception of
/// `send_oneway`; then the later requests are not sent.
void send_multiple_requests_oneway(const RequestSeq& requests);
/// Begins the calls, each by a thread of its own, so that they may overtake each other. Their responses can
/// be taken in the order in which they arrive, by get_next_response, or one by one, by Request::get_response.
/// Raises the first exception of `send_deferred`; then the later requests are not sent.
void send_multiple_requests_deferred(const RequestSeq& requests);
/// Whether the response to a request of send_multiple_requests_deferred has arrived, and has not been taken.
/// Of the requests of all ORBs of the process, as the next function. Any thread.
bool poll_next_response();
/// Waits until the response to a request of send_multiple_requests_deferred arrives, and returns the request:
/// its `get_response` does not wait, and raises what the call has raised. Each is returned once. Several
/// threads may wait. Raises BAD_INV_ORDER (OMG minor 11) if there is no such request whose response has not
/// been taken, or if another thread takes the last one.
CORBA::object_reference<CORBA::Request> get_next_response();

}  // namespace orbweaver
