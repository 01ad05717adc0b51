// A TypeCode as a peer sends it, of either byte order: the first octet tells which. What was understood is
// compared, copied, printed and written, and so are the types in it.
#include <cstdlib>
#include <stdexcept>

#include "cdr/typecode_graph.h"

using namespace orbweaver;

/// The ORB raises BAD_INV_ORDER here; nothing below calls a nil TypeCode.
void CORBA::throw_nil_reference() { throw std::logic_error("nil"); }

namespace {

/// From the inside a walk may be longer than from the outermost type; it is refused then.
void look_at(const CORBA::typecode_reference& type) {
  (void)typecode::describe(*type);
  (void)typecode::least_bytes(*type);
  (void)typecode::block_of(*type);
  (void)typecode::may_hold_wide(*type);
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
  look_at(type);
  for (std::uint32_t i = 0; i < typecode::Access::count(*type); ++i) {
    const CORBA::TypeCode* const member = typecode::Access::members(*type)[i].type;
    if (member != nullptr) look_at(reference_to(*member));
  }
  const auto compact = type->get_compact_typecode();
  const std::string& form = typecode::wire_form(*compact);
  cdr::Decoder again(reinterpret_cast<const std::uint8_t*>(form.data()), form.size(), false);
  const auto same = typecode::read(again);
  if (same == nullptr || !same->equivalent(type)) std::abort();
  // A type takes four bytes at the least: the pairs looked at are no more than there are types and members.
  if (typecode::compare_equal(*compact, *same).pairs > size) std::abort();
  return 0;
}
