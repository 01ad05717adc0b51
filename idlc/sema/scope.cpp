#include "idlc/sema/scope.h"

namespace orbweaver::idl {

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower_case(c);
  return out;
}

void drop_members(Scope& scope) {
  bool members = false;
  scope.symbols.erase_if([&](const Symbol& each) {
    const bool member = !each.from_use && each.declaration == nullptr;
    members = members || member;
    return member || each.from_use;
  });
  scope.members_dropped = members;
}

void restore_members(Scope& scope) {
  if (!scope.members_dropped) return;
  scope.members_dropped = false;
  const auto restore = [&](std::string_view name, Span span, const char* noun) {
    Symbol symbol;
    symbol.name = name;
    symbol.span = span;
    symbol.noun = noun;
    if (!name.empty()) scope.symbols.add(symbol);
  };
  const ir::Declaration& owner = *scope.owner;
  if (owner.kind == ir::DeclKind::struct_) {
    for (const ir::Field& each : ir::as<ir::Struct>(owner).fields) restore(each.name, each.span, "member");
  } else if (owner.kind == ir::DeclKind::exception) {
    for (const ir::Field& each : ir::as<ir::Exception>(owner).fields) restore(each.name, each.span, "member");
  } else if (owner.kind == ir::DeclKind::union_) {
    for (const ir::UnionCase& each : ir::as<ir::Union>(owner).cases)
      restore(each.field.name, each.field.span, "member");
  } else if (owner.kind == ir::DeclKind::bitset) {
    for (const ir::Bitfield& each : ir::as<ir::Bitset>(owner).fields)
      restore(each.name, each.span, "bit field");
  }
}

}  // namespace orbweaver::idl
