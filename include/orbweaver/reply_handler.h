#pragma once

#include <exception>
#include <utility>

#include <orbweaver/object.h>

namespace CORBA {

/// Traits of an interface for asynchronous calls with the callback model of CORBA Messaging, specialised by
/// code that is generated with `orbweaver-idl --ami`: `replyhandler_base_type`, the class to derive a reply
/// handler from, and `replyhandler_ref_type`, a reference to one, made by `make_reference`.
template <class Interface>
struct amic_traits;

}  // namespace CORBA

/// The module Messaging: policies, and asynchronous calls (CORBA 3.3 part 1, 22).
namespace Messaging {

/// The exception of an asynchronous call, passed to the `_excep` function of a reply handler (CORBA 3.3 part
/// 1, 22.7). May be kept, and used by any thread.
class ExceptionHolder final : public CORBA::RefCounted {
 public:
  using _ref_type = CORBA::object_reference<ExceptionHolder>;  ///< Reference to a holder.
  /// Raises the exception, as the synchronous call would have.
  [[noreturn]] void raise_exception() const { std::rethrow_exception(exception_); }

  /// @cond internal
  explicit ExceptionHolder(std::exception_ptr exception) noexcept : exception_(std::move(exception)) {}
  /// @endcond

 private:
  const std::exception_ptr exception_;
};

/// Base of reply handlers: local objects of the program, whose functions are called one at a time for each
/// connection, in the order in which the replies arrive (docs/asynchronous-calls.md). An exception that one
/// of them raises is logged.
class ReplyHandler : public virtual CORBA::LocalObject {
 protected:
  ReplyHandler() = default;
};

}  // namespace Messaging

namespace IDL {

/// Traits of the exception holder.
template <>
struct traits<Messaging::ExceptionHolder> : orbweaver::reference_traits<Messaging::ExceptionHolder> {};
/// Traits of reply handlers of any kind.
template <>
struct traits<Messaging::ReplyHandler> : orbweaver::local_interface_traits<Messaging::ReplyHandler> {};

}  // namespace IDL

namespace orbweaver {

/// @cond internal
inline CORBA::object_reference<Messaging::ExceptionHolder> make_exception_holder(std::exception_ptr failure) {
  return CORBA::object_reference<Messaging::ExceptionHolder>::adopt(
      new Messaging::ExceptionHolder(std::move(failure)));
}
/// @endcond

}  // namespace orbweaver
