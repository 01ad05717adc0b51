#include "idlc/cpp/declarations.h"

namespace orbweaver::idl::cpp {

using namespace ir;

void each_declaration(const Contents& contents, const std::function<void(const Declaration&)>& visit) {
  for (const Declaration* declaration : contents) {
    if (declaration->kind == DeclKind::module) {
      each_declaration(as<Module>(*declaration).contents, visit);
      continue;
    }
    if (!declaration->in_main_file) continue;
    if (declaration->kind == DeclKind::interface)
      each_declaration(as<Interface>(*declaration).contents, visit);
    each_declaration(nested_declarations(*declaration), visit);
    visit(*declaration);
  }
}

void each_interface(const Contents& contents, const std::function<void(const Interface&)>& visit) {
  each_declaration(contents, [&](const Declaration& declaration) {
    if (declaration.kind == DeclKind::interface) visit(as<Interface>(declaration));
  });
}

const Contents& nested_declarations(const Declaration& declaration) {
  static const Contents kNone;
  if (declaration.kind == DeclKind::struct_) return as<Struct>(declaration).contents;
  if (declaration.kind == DeclKind::exception) return as<Exception>(declaration).contents;
  if (declaration.kind == DeclKind::union_) return as<Union>(declaration).contents;
  if (declaration.kind == DeclKind::value) return as<Value_>(declaration).contents;
  if (declaration.kind == DeclKind::value_box) return as<ValueBox>(declaration).contents;
  return kNone;
}

const Contents& contents_of(const Declaration& decl) {
  return decl.kind == DeclKind::value ? as<Value_>(decl).contents : as<Interface>(decl).contents;
}

bool is_value(const Declaration& decl) {
  return decl.kind == DeclKind::value || decl.kind == DeclKind::value_box;
}

std::vector<const Interface*> interfaces_only_declared(const Unit& unit) {
  std::vector<const Interface*> out;
  for (const auto& each : unit.declarations) {
    if (each->kind != DeclKind::interface || !each->in_main_file || each->builtin) continue;
    const auto& decl = as<Interface>(*each);
    if (decl.forward_declared && !decl.defined && !decl.abstract_ && decl.span.known()) out.push_back(&decl);
  }
  return out;
}

}  // namespace orbweaver::idl::cpp
