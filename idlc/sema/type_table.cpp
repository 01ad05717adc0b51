#include "idlc/sema/type_table.h"

#include <utility>

namespace orbweaver::idl {

using ir::TypeKind;

const ir::Type* TypeTable::add(ir::Type type) {
  for (const ir::Type* part : {type.key, type.element}) {
    if (part && !type.incomplete_element) type.incomplete_element = incomplete_declaration(*part);
  }
  return &unit_.types.emplace_back(std::move(type));
}

const ir::Type* TypeTable::basic(TypeKind kind) {
  const ir::Type*& known = basics_[static_cast<std::size_t>(kind)];
  if (!known) {
    ir::Type type;
    type.kind = kind;
    known = add(type);
  }
  return known;
}

const ir::Type* TypeTable::declared(const ir::Declaration& declaration) {
  const ir::Type*& known = declared_[&declaration];
  if (!known) {
    ir::Type type;
    type.kind = TypeKind::declared;
    type.declaration = &declaration;
    known = add(type);
  }
  return known;
}

const ir::Declaration* incomplete_declaration(const ir::Type& type) {
  const auto undefined = [](const ir::Declaration* decl) {
    if (!decl) return false;
    if (decl->kind == ir::DeclKind::struct_) return !ir::as<ir::Struct>(*decl).defined;
    return decl->kind == ir::DeclKind::union_ && !ir::as<ir::Union>(*decl).defined;
  };
  const ir::Type& real = ir::resolved(type);
  const ir::Declaration* needed =
      real.kind == TypeKind::declared ? real.declaration : real.incomplete_element;
  return undefined(needed) ? needed : nullptr;
}

}  // namespace orbweaver::idl
