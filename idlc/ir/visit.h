#pragma once

#include "idlc/ir/components.h"
#include "idlc/ir/ir.h"

namespace orbweaver::idl::ir {

/// Calls `visitor` with a declaration as its own type. Connectors and porttypes are passed as Component,
/// finders as Factory. A new kind of declaration needs a case here, and then an overload in each visitor.
template <typename Visitor>
decltype(auto) visit(const Declaration& d, Visitor&& visitor) {
  switch (d.kind) {
    case DeclKind::module: return visitor(as<Module>(d));
    case DeclKind::interface: return visitor(as<Interface>(d));
    case DeclKind::value: return visitor(as<Value_>(d));
    case DeclKind::value_box: return visitor(as<ValueBox>(d));
    case DeclKind::struct_: return visitor(as<Struct>(d));
    case DeclKind::exception: return visitor(as<Exception>(d));
    case DeclKind::union_: return visitor(as<Union>(d));
    case DeclKind::enum_: return visitor(as<Enum>(d));
    case DeclKind::bitmask: return visitor(as<Bitmask>(d));
    case DeclKind::bitset: return visitor(as<Bitset>(d));
    case DeclKind::typedef_: return visitor(as<Typedef>(d));
    case DeclKind::constant: return visitor(as<Constant>(d));
    case DeclKind::native: return visitor(as<Native>(d));
    case DeclKind::attribute: return visitor(as<Attribute>(d));
    case DeclKind::operation: return visitor(as<Operation>(d));
    case DeclKind::factory:
    case DeclKind::finder: return visitor(as<Factory>(d));
    case DeclKind::state_member: return visitor(as<StateMember>(d));
    case DeclKind::enumerator: return visitor(as<Enumerator>(d));
    case DeclKind::annotation: return visitor(as<AnnotationDeclaration>(d));
    case DeclKind::component:
    case DeclKind::connector:
    case DeclKind::porttype: return visitor(as<Component>(d));
    case DeclKind::home: return visitor(as<Home>(d));
    case DeclKind::port: return visitor(as<Port>(d));
    case DeclKind::template_module: break;
  }
  return visitor(as<TemplateModule>(d));
}

}  // namespace orbweaver::idl::ir
