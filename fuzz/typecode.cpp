// A TypeCode as a peer sends it, of either byte order: the first octet tells which.
#include <cstdlib>
#include <stdexcept>

#include "cdr/typecode_graph.h"

using namespace orbweaver;

/// The ORB raises BAD_INV_ORDER here; nothing below calls a nil TypeCode.
void CORBA::throw_nil_reference() { throw std::logic_error("nil"); }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  cdr::Decoder in(data + 1, size - 1, (*data & 1) != 0);
  const auto type = typecode::read(in);
  if ((type == nullptr) == in.ok()) std::abort();
  if (type == nullptr) return 0;
  // What was understood compares, is printed, and stays itself without its names and on the wire.
  const auto compact = type->get_compact_typecode();
  if (!type->equivalent(compact)) std::abort();
  (void)typecode::describe(*type);
  (void)typecode::least_bytes(*type);
  (void)typecode::block_of(*type);
  const std::string& form = typecode::wire_form(*compact);
  cdr::Decoder again(reinterpret_cast<const std::uint8_t*>(form.data()), form.size(), false);
  const auto same = typecode::read(again);
  if (same == nullptr || !same->equivalent(type)) std::abort();
  return 0;
}
