#include "call/octet_types.h"

#include <string_view>

#include "cdr/typecode_graph.h"

namespace orbweaver::call {

using CORBA::TCKind;
using CORBA::TypeCode;
using Fields = typecode::Access;

bool is_int8(const TypeCode& given) {
  const TypeCode* type = &given;
  for (; type->kind() == TCKind::tk_alias; type = Fields::content(*type))
    if (Fields::id(*type) == std::string_view(Fields::id(typecode::k_int8)))
      return typecode::resolved(*type).kind() == TCKind::tk_octet;
  return false;
}

bool is_octet(const TypeCode& type) {
  return typecode::resolved(type).kind() == TCKind::tk_octet && !is_int8(type);
}

}  // namespace orbweaver::call
