#include "idlc/cpp/unsupported_constructs.h"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "idlc/cpp/member_tables.h"
#include "idlc/cpp/names.h"
#include "idlc/ir/visit.h"

namespace orbweaver::idl::cpp {

using namespace ir;

namespace {

// The generated class of an interface lists everything that it inherits, so the C++ of a chain of interfaces
// grows with the square of its length. So do the TypeCodes of structs if many inherit from one with many
// members: see MemberTables.
constexpr std::size_t kMaxInherited = 500'000;

class UnsupportedConstructs {
 public:
  UnsupportedConstructs(Diagnostics& diagnostics, bool micro) : diagnostics_(diagnostics), micro_(micro) {}

  void unit(const Unit& checked) {
    all(checked.contents);
    if (MemberTables(structs_).size() <= kMaxInherited) return;
    const auto last =
        std::find_if(structs_.rbegin(), structs_.rend(), [](auto* each) { return each->base != nullptr; });
    diagnostics_
        .error("too-large", (*last)->span,
               "the structs of this file inherit more than " + std::to_string(kMaxInherited) +
                   " members, each of which a TypeCode lists")
        .suggest("put the structs into several files, or hold the base as a member");
  }

 private:
  void all(const std::vector<const Declaration*>& contents) {
    for (const Declaration* each : contents) {
      if (each->in_main_file || each->kind == DeclKind::module) declaration(*each);
    }
  }

  void reject(std::string_view what, Span where) {
    if (!reported_.insert(std::string(what)).second) return;
    diagnostics_
        .error("no-run-time", where, "the C++ mapping of " + std::string(what) + " has no run time yet")
        .suggest("check and dump work; for C++, leave it out or describe the data with a struct");
  }

  // Reports a type of the built-in IDL that programs cannot send.
  void reject_builtin(const Declaration& d, Span where) {
    const std::string name = scoped_name(&d).substr(2);
    if (!reported_.insert(name).second) return;
    diagnostics_.error("no-run-time", where, "the run time has no C++ of '" + name + "' as data")
        .suggest("docs/idl.md lists the built-in types that it has: use one of those, or declare one");
  }

  // Reports what the micro library does not support.
  void reject_micro(std::string_view what, Span where) {
    if (!micro_ || !reported_.insert(std::string(what)).second) return;
    diagnostics_.error("not-in-micro", where, "the micro library has no " + std::string(what))
        .suggest(
            "leave it out, or use the full library: without --micro, and without PROFILE micro in CMake");
  }

  // Checks a type. Chains of typedefs are followed iteratively, and each typedef is checked once.
  void type(const Type& t, Span where) {
    part(t, where);
    while (!typedefs_open_.empty()) {
      const auto [next, at] = typedefs_open_.back();
      typedefs_open_.pop_back();
      part(*next, at);
    }
  }

  // Whether the run time's headers declare this name of the built-in orb.idl.
  static bool has_run_time(const Declaration& d) {
    const std::string name = scoped_name(&d);
    return name == "::CORBA::Policy" || name == "::CORBA::PolicyManager" ||
           name == "::CORBA::PolicyCurrent" || name == "::CORBA::SetOverrideType" ||
           name == "::CORBA::DataInputStream" || name == "::CORBA::DataOutputStream" ||
           name == "::CORBA::CustomMarshal";
  }

  // Checks the bases of an interface: each needs a class in the run time, and a skeleton if it is remote.
  void bases(const Interface& decl) {
    if (inherits_too_much_) return;
    const std::vector<const Interface*> line = ancestry(decl);
    bases_ += line.size() - 1;
    inherited_ += decl.bases.empty() ? 0 : all_callables(decl).size();
    inherits_too_much_ = bases_ > kMaxInherited || inherited_ > kMaxInherited;
    if (inherits_too_much_) {
      diagnostics_
          .error("too-large", decl.span,
                 "the interfaces of this file inherit more than " + std::to_string(kMaxInherited) +
                     (bases_ > kMaxInherited ? " interfaces" : " operations and attributes") +
                     ", each of which C++ names")
          .suggest("put the interfaces into several files, or let them inherit less");
      return;
    }
    for (const Interface* base : line) {
      if (base == &decl || !base->builtin) continue;
      if (!has_run_time(*base)) reject_builtin(*base, decl.span);
      if (!decl.local)
        reject("remote interfaces derived from '" + scoped_name(base).substr(2) + "'", decl.span);
    }
  }

  // Checks one type, without following typedefs.
  void part(const Type& t, Span where) {
    switch (t.kind) {
      case TypeKind::map: part(*t.key, where); return part(*t.element, where);
      case TypeKind::sequence:
      case TypeKind::array: return part(*t.element, where);
      case TypeKind::declared:
        if (is_typecode(t)) return reject_micro("TypeCodes", where);
        return named_type(*t.declaration, where);
      case TypeKind::any: return reject_micro("any", where);
      case TypeKind::fixed: return reject_micro("fixed-point types", where);
      case TypeKind::value_base: return reject_micro("value types", where);
      default: return;
    }
  }

  void named_type(const Declaration& d, Span where) {
    if (d.kind == DeclKind::typedef_) {
      if (typedefs_.insert(&d).second) typedefs_open_.push_back({as<Typedef>(d).type, where});
      return;
    }
    if (const std::string_view construct = unsupported(d); !construct.empty()) reject(construct, where);
    if (is_run_time_data(d)) return reject_micro("'" + scoped_name(&d).substr(2) + "'", where);
    if (d.builtin && !(in_local_ && has_run_time(d)) && !is_run_time_native(d) && !is_run_time_value(d))
      return reject_builtin(d, where);
    if (!d.builtin) forward(d, where);
  }

  // References to what another file defines: there are classes for those to interfaces that are not abstract.
  void forward(const Declaration& d, Span where) {
    if (d.kind == DeclKind::interface && !as<Interface>(d).defined)
      reject_micro("references to interfaces that are declared and not defined", where);
    if (d.kind == DeclKind::value && !as<Value_>(d).defined)
      reject("value types that are declared and not defined", where);
    if (d.kind == DeclKind::interface && as<Interface>(d).abstract_ && !as<Interface>(d).defined)
      reject("abstract interfaces that are declared and not defined", where);
  }

  // The name of an unsupported kind of declaration in messages; empty if the kind is supported.
  static std::string_view unsupported(const Declaration& d) {
    switch (d.kind) {
      case DeclKind::value: return as<Value_>(d).event ? "event types" : "";
      case DeclKind::component:
      case DeclKind::connector:
      case DeclKind::porttype:
      case DeclKind::home: return "components and homes";
      default: return "";
    }
  }

  void field(const Field& each) {
    type(*each.type, each.span);
    if (each.local) reject("data types that hold local interfaces", each.span);
    if (each.recursive) reject("recursion through @external and @optional", each.span);
  }
  void fields(const std::vector<Field>& list) {
    for (const Field& each : list) field(each);
  }

  // Reports a declaration that the run time has already: an IDL file may reopen module CORBA and the other
  // standard modules, but their C++ namespaces belong to the run time.
  void run_time_has(const Declaration& d) {
    const Declaration* space = d.parent;
    const bool standard =
        space && !space->parent && space->kind == DeclKind::module &&
        (space->name == "CORBA" || space->name == "PortableServer" || space->name == "Messaging");
    if (!standard || is_run_time_native(d) || !run_time_declares(space->name, d.name) ||
        !reported_.insert(scoped_name(&d)).second)
      return;
    diagnostics_
        .error("no-run-time", d.span,
               "'" + scoped_name(&d).substr(2) + "' is declared by the run time; C++ cannot declare it again")
        .suggest(space->name == "CORBA" ? "remove it and include <orb.idl>"
                                        : "remove it, or use another module");
  }

  void declaration(const Declaration& d) {
    if (d.kind != DeclKind::module) run_time_has(d);
    if (const std::string_view construct = unsupported(d); !construct.empty())
      return reject(construct, d.span);
    visit(d, [&](const auto& checked) { check(checked); });
  }

  void check(const Module& d) { all(d.contents); }
  void check(const Interface& d) {
    forward(d, d.span);
    if (d.abstract_) reject_micro("abstract interfaces", d.span);
    bases(d);
    in_local_ = d.local;
    all(d.contents);
    in_local_ = false;
  }
  void check(const Value_& d) {
    forward(d, d.span);
    reject_micro("value types", d.span);
    for (const Value_* base : d.bases) {
      if (base->builtin) reject("value types derived from '" + scoped_name(base).substr(2) + "'", d.span);
    }
    for (const Interface* each : d.supports) {
      if (each->builtin) reject("value types that support '" + scoped_name(each).substr(2) + "'", d.span);
    }
    for (const Declaration* each : d.contents) {
      // The operations of values are not remote.
      in_local_ = each->kind == DeclKind::operation || each->kind == DeclKind::attribute;
      declaration(*each);
    }
    in_local_ = false;
  }
  void check(const StateMember& d) { field(d.field); }
  void check(const Factory& d) {
    for (const Parameter& each : d.parameters) type(*each.type, each.span);
  }
  void check(const ValueBox& d) {
    reject_micro("value types", d.span);
    all(d.contents);
    type(*d.type, d.span);
  }
  void check(const Struct& d) {
    structs_.push_back(&d);
    all(d.contents);
    fields(d.fields);
  }
  void check(const Exception& d) {
    all(d.contents);
    fields(d.fields);
  }
  void check(const Union& d) {
    all(d.contents);
    for (const UnionCase& each : d.cases) field(each.field);
  }
  void check(const Typedef& d) { type(*d.type, d.span); }
  void check(const Constant& d) { type(*d.type, d.span); }
  void check(const Attribute& d) { type(*d.type, d.span); }
  void check(const Operation& d) {
    if (!d.contexts.empty()) reject_micro("contexts", d.span);
    type(*d.result, d.span);
    for (const Parameter& each : d.parameters) type(*each.type, each.span);
    for (const Declaration* each : d.raises) {
      if (each->builtin && !in_local_) reject("'" + scoped_name(each).substr(2) + "'", d.span);
    }
  }
  void check(const Declaration&) {}  // has no parts to check

  Diagnostics& diagnostics_;
  const bool micro_;
  std::set<std::string, std::less<>> reported_;
  std::unordered_set<const Declaration*> typedefs_;
  std::vector<std::pair<const Type*, Span>> typedefs_open_;
  std::size_t bases_ = 0, inherited_ = 0;  // totals for all interfaces
  bool inherits_too_much_ = false;
  std::vector<const Struct*> structs_;
  bool in_local_ = false;  // within a local interface, whose operations are not marshalled
};

}  // namespace

void reject(const Unit& unit, Diagnostics& diagnostics, bool micro) {
  UnsupportedConstructs(diagnostics, micro).unit(unit);
}

}  // namespace orbweaver::idl::cpp
