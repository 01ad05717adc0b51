#include "orb/server/forward_request.h"

#include <orbweaver/detail/stub.h>

#include <string>

#include "orb/minor_codes.h"

namespace PortableServer {

std::size_t ForwardRequest::_bound() const { return orbweaver::bound_reference(forward_reference_.get()); }

void ForwardRequest::_encode(orbweaver::cdr::Encoder& out) const {
  orbweaver::encode_reference(out, forward_reference_.get());
}

}  // namespace PortableServer

namespace orbweaver::orb {

void check_forward(std::string_view operation, const PortableServer::ForwardRequest& forward) {
  const CORBA::Object* const object = forward.forward_reference().get();
  if (object != nullptr && object->_reference() != nullptr) return;
  throw CORBA::INV_OBJREF(minor::kUnusableReference, CORBA::CompletionStatus::COMPLETED_NO,
                          std::string(operation) + " was forwarded to " +
                              (object == nullptr ? "nil" : "a local object, which has no address"));
}

}  // namespace orbweaver::orb
