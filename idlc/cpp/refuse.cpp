#include "idlc/cpp/refuse.h"

#include <set>

namespace orbweaver::idl::cpp {

using namespace ir;

namespace {

class Refuse {
 public:
  explicit Refuse(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void all(const std::vector<const Declaration*>& contents) {
    for (const Declaration* each : contents) {
      if (each->in_main_file || each->kind == DeclKind::module) declaration(*each);
    }
  }

 private:
  void refuse(std::string_view what, Span where) {
    if (!told_.insert(std::string(what)).second) return;
    diagnostics_
        .error("no-run-time", where, "the C++ mapping of " + std::string(what) + " has no run time yet")
        .suggest("check and dump work; for C++, leave it out or describe the data with a struct");
  }

  void type(const Type& t, Span where) {
    switch (t.kind) {
      case TypeKind::fixed:
        return refuse("fixed-point types", where);
      case TypeKind::value_base:
        return refuse("ValueBase", where);
      case TypeKind::map:
        type(*t.key, where);
        return type(*t.element, where);
      case TypeKind::sequence:
      case TypeKind::array:
        return type(*t.element, where);
      case TypeKind::declared:
        break;
      default:
        return;
    }
    if (is_typecode(t)) return;
    const Declaration& d = *t.declaration;
    if (d.kind == DeclKind::value || d.kind == DeclKind::value_box) refuse("value types", where);
    if (d.kind == DeclKind::component || d.kind == DeclKind::home) refuse("components and homes", where);
    if (d.kind == DeclKind::native) refuse("native types", where);
    if (d.kind == DeclKind::typedef_)
      type(*as<Typedef>(d).type, where);
    else if (d.builtin)
      return refuse("'" + scoped_name(&d).substr(2) + "'", where);
    if (d.kind != DeclKind::interface) return;
    if (as<Interface>(d).abstract_)
      refuse("abstract interfaces", where);
    else if (!as<Interface>(d).defined) {
      if (told_.insert(d.name).second) {
        diagnostics_.error("incomplete-type", where, "C++ needs the definition of interface '" + d.name + "'")
            .suggest("include the IDL file that defines it")
            .note(d.span, "only declared ahead here");
      }
    }
  }

  void field(const Field& each) {
    type(*each.type, each.span);
    if (holds_local(*each.type)) refuse("data types that hold local interfaces", each.span);
  }
  void fields(const std::vector<Field>& list) {
    for (const Field& each : list) field(each);
  }

  // Such a type cannot travel, and all data types are made for that.
  static bool holds_local(const Type& t) {
    const Type& real = resolved(t);
    if (real.kind == TypeKind::map) return holds_local(*real.key) || holds_local(*real.element);
    if (real.kind == TypeKind::sequence || real.kind == TypeKind::array) return holds_local(*real.element);
    if (real.kind != TypeKind::declared || real.declaration->kind != DeclKind::interface) return false;
    return as<Interface>(*real.declaration).local;
  }

  void declaration(const Declaration& d) {
    switch (d.kind) {
      case DeclKind::module:
        return all(as<Module>(d).contents);
      case DeclKind::interface:
        if (as<Interface>(d).abstract_) refuse("abstract interfaces", d.span);
        return all(as<Interface>(d).contents);
      case DeclKind::value:
      case DeclKind::value_box:
        return refuse("value types", d.span);
      case DeclKind::component:
      case DeclKind::connector:
      case DeclKind::porttype:
      case DeclKind::home:
        return refuse("components and homes", d.span);
      case DeclKind::native:
        return refuse("native types", d.span);
      case DeclKind::struct_:
        all(as<Struct>(d).contents);
        return fields(as<Struct>(d).fields);
      case DeclKind::exception:
        all(as<Exception>(d).contents);
        return fields(as<Exception>(d).fields);
      case DeclKind::union_:
        all(as<Union>(d).contents);
        for (const UnionCase& each : as<Union>(d).cases) field(each.field);
        return;
      case DeclKind::typedef_:
        return type(*as<Typedef>(d).type, d.span);
      case DeclKind::constant:
        return type(*as<Constant>(d).type, d.span);
      case DeclKind::attribute:
        return type(*as<Attribute>(d).type, d.span);
      case DeclKind::operation:
        type(*as<Operation>(d).result, d.span);
        for (const Parameter& each : as<Operation>(d).parameters) type(*each.type, each.span);
        for (const Declaration* each : as<Operation>(d).raises)
          if (each->kind == DeclKind::native) refuse("native types", d.span);
        if (!as<Operation>(d).contexts.empty()) refuse("operation contexts", d.span);
        return;
      default:
        return;
    }
  }

  Diagnostics& diagnostics_;
  std::set<std::string, std::less<>> told_;
};

}  // namespace

void refuse(const Unit& unit, Diagnostics& diagnostics) { Refuse(diagnostics).all(unit.contents); }

}  // namespace orbweaver::idl::cpp
