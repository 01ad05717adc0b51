#pragma once

#include <cstddef>
#include <utility>

#include <orbweaver/exception.h>
#include <orbweaver/object.h>

namespace PortableServer {

/// Raised by a servant to forward the request to another object: the client repeats it there, without a
/// change to its program, and sends the following requests of that reference there, too, until they fail;
/// then it asks this object again (CORBA 3.3 part 1, 15.3.5; LOCATION_FORWARD of part 2, 9.4.3.2). May be
/// raised by any operation and attribute, whatever it declares, before the servant has changed anything. A
/// one-way request cannot be forwarded: it is logged and lost. May be copied; one object is not thread-safe.
class ForwardRequest final : public CORBA::UserException {
 public:
  /// Counted reference to an object of any interface.
  using ObjectRef = CORBA::object_reference<CORBA::Object>;

  /// `forward_reference`: the object to call, of an interface that the client can use. It is shared. The
  /// client gets INV_OBJREF (0x4f57006e) if it is nil or a local object.
  explicit ForwardRequest(ObjectRef forward_reference = {})
      : forward_reference_(std::move(forward_reference)) {}
  /// The object to call. Raises nothing.
  const ObjectRef& forward_reference() const noexcept { return forward_reference_; }
  /// Sets the object to call, which is shared. Raises nothing.
  void forward_reference(ObjectRef reference) { forward_reference_ = std::move(reference); }

  const char* _name() const noexcept override { return "PortableServer::ForwardRequest"; }
  const char* _rep_id() const noexcept override { return "IDL:omg.org/PortableServer/ForwardRequest:1.0"; }
  [[noreturn]] void _raise() const override { throw *this; }
  std::size_t _bound() const override;
  void _encode(orbweaver::cdr::Encoder& out) const override;

 private:
  ObjectRef forward_reference_;
};

}  // namespace PortableServer
