// Marshalling of object references as arguments and results.
#include <orbweaver/detail/stub.h>

#include "orb/core.h"
#include "orb/minor_codes.h"

namespace orbweaver {

Reference* decode_reference(cdr::Decoder& in) {
  giop::Ior ior;
  if (!giop::decode(in, ior) || ior.is_nil()) return nullptr;
  if (in.broker() == nullptr) {
    in.fail(cdr::Fault::bad_reference);
    return nullptr;
  }
  auto& source = *static_cast<orb::ReferenceSource*>(in.broker());
  return new Reference(source.core_of_references(), std::move(ior), Reference::ConnectionSharing::shared, {},
                       source.offering_peer());
}

void encode_reference(cdr::Encoder& out, const CORBA::Object* object) {
  if (object == nullptr) return giop::encode(out, giop::Ior{});
  if (object->_reference() == nullptr) {
    throw CORBA::BAD_PARAM(minor::kLocalObject, CORBA::CompletionStatus::COMPLETED_NO,
                           "a local object cannot leave its process");
  }
  out.broker(&object->_reference()->core());
  giop::encode(out, object->_reference()->ior_to_send());
}

std::size_t bound_reference(const CORBA::Object* object) {
  return object == nullptr || object->_reference() == nullptr
             ? 16
             : giop::bound_of(object->_reference()->original_ior());
}

void drop_reference(Reference* reference) noexcept { reference->_remove_ref(); }

}  // namespace orbweaver
