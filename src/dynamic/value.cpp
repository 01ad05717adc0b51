#include "dynamic/value.h"

#include <utility>
#include <vector>

#include "cdr/typecode_graph.h"
#include "cdr/value_copy.h"

namespace orbweaver::dynamic {

using any::Access;

std::size_t bound_of_value(const CORBA::Any& any) { return Access::bound(any); }

void write_value(cdr::Encoder& out, const CORBA::Any& any) {
  const CORBA::typecode_reference type = any.type();
  const std::vector<std::uint8_t>* const bytes = Access::find(any, *type);
  if (bytes == nullptr || bytes->empty()) return;
  any::encode_copy(out, *type, *bytes);
}

CORBA::Any read_value(cdr::Decoder& in, const CORBA::TypeCode& type) {
  CORBA::Any any;
  std::vector<std::uint8_t> bytes;
  cdr::Encoder out(bytes);
  any::ValueCopy copy(in, out);
  copy.value(type);
  if (!in.ok()) return any;
  out.finish();
  if (copy.references()) out.broker(in.broker());
  Access::put(any, type, out, std::move(bytes));
  return any;
}

}  // namespace orbweaver::dynamic
