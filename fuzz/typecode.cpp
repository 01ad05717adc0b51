// Decodes a TypeCode of a peer. The first octet of the input is the byte order. A decoded TypeCode, and the
// types in it, are compared, copied, printed and encoded.
#include <cstdlib>

#include "cdr/typecode_graph.h"

using namespace orbweaver;

namespace {

/// Calls the functions of a TypeCode. A traversal from an inner type may be longer than from the outermost
/// type; it is then rejected with BAD_TYPECODE.
void exercise(const CORBA::typecode_reference& type) {
  (void)typecode::describe(*type);
  (void)typecode::min_encoded_bytes(*type);
  (void)typecode::plain_layout_of(*type);
  (void)typecode::may_contain_wchar(*type);
  try {
    const auto compact = type->get_compact_typecode();
    if (!type->equivalent(compact)) std::abort();
    (void)typecode::wire_form(*type);
  } catch (const CORBA::BAD_TYPECODE&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  cdr::Decoder in(data + 1, size - 1, (*data & 1) != 0);
  const auto type = typecode::read(in);
  if ((type == nullptr) == in.ok()) std::abort();
  if (type == nullptr) return 0;
  exercise(type);
  for (std::uint32_t i = 0; i < typecode::Access::count(*type); ++i) {
    const CORBA::TypeCode* const member = typecode::Access::members(*type)[i].type;
    if (member != nullptr) exercise(reference_to(*member));
  }
  const auto compact = type->get_compact_typecode();
  const std::string& form = typecode::wire_form(*compact);
  cdr::Decoder again(reinterpret_cast<const std::uint8_t*>(form.data()), form.size(), false);
  const auto same = typecode::read(again);
  if (same == nullptr || !same->equivalent(type)) std::abort();
  // A type takes at least four bytes, and the pairs visited are limited by the number of types and members.
  if (typecode::compare_equal(*compact, *same).pairs > size) std::abort();
  return 0;
}
