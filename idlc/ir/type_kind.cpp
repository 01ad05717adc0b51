#include "idlc/ir/type_kind.h"

namespace orbweaver::idl::ir {

std::string_view spelling(TypeKind kind) {
  constexpr std::string_view kNames[] = {"void",
                                         "boolean",
                                         "char",
                                         "wchar",
                                         "octet",
                                         "int8",
                                         "uint8",
                                         "short",
                                         "unsigned short",
                                         "long",
                                         "unsigned long",
                                         "long long",
                                         "unsigned long long",
                                         "float",
                                         "double",
                                         "long double",
                                         "any",
                                         "Object",
                                         "ValueBase",
                                         "string",
                                         "wstring",
                                         "fixed",
                                         "sequence",
                                         "array",
                                         "map",
                                         "declared"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace orbweaver::idl::ir
