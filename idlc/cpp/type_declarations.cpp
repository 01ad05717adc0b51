#include "idlc/cpp/type_declarations.h"

#include "idlc/cpp/ami.h"
#include "idlc/cpp/constructs.h"
#include "idlc/cpp/names.h"
#include "idlc/cpp/typecodes.h"
#include "idlc/cpp/values.h"

namespace orbweaver::idl::cpp {

using namespace ir;

// Declarations within a class: types and their TypeCodes.
std::string TypeDeclarations::in_class(const Contents& contents) const {
  std::string out;
  for (const Declaration* each : contents)
    out += type_text(*each, true) + (options_.micro ? "" : typecode_reference_declared(*each, true));
  return out;
}

// operator<< for a type and the types nested in it; follows the type.
std::string TypeDeclarations::printers(const Declaration& declaration) {
  std::string out;
  for (const Declaration* each : nested_declarations(declaration)) out += printers(*each);
  return out + print_declaration(declaration);
}

// The declaration of a type in fooC.h.
std::string TypeDeclarations::type_text(const Declaration& declaration, bool is_member) const {
  switch (declaration.kind) {
    case DeclKind::constant: return constant(as<Constant>(declaration), is_member);
    case DeclKind::enum_: return enumeration(as<Enum>(declaration));
    case DeclKind::typedef_: return alias(as<Typedef>(declaration));
    case DeclKind::struct_:
      return structure(as<Struct>(declaration), in_class(nested_declarations(declaration)));
    case DeclKind::exception:
      return cpp::exception(as<Exception>(declaration), in_class(nested_declarations(declaration)));
    case DeclKind::union_: return union_(as<Union>(declaration), in_class(nested_declarations(declaration)));
    case DeclKind::value_box:
      return value_box(as<ValueBox>(declaration), in_class(nested_declarations(declaration)));
    case DeclKind::bitmask: return cpp::bitmask(as<Bitmask>(declaration));
    case DeclKind::bitset: return cpp::bitset(as<Bitset>(declaration));
    case DeclKind::native: {
      // A header of the user can declare types of namespaces, but not of generated classes.
      const bool declared_elsewhere = !is_member && !options_.includes.empty();
      return declared_elsewhere || is_run_time_native(declaration) ? ""
                                                                   : cpp::native(as<Native>(declaration));
    }
    default: return {};
  }
}

// Declarations of the forward-declared structs and unions, "class S;".
std::string TypeDeclarations::forward_classes(const Contents& contents) const {
  std::string out;
  for (const Declaration* each : contents) {
    bool forward_struct = each->kind == DeclKind::struct_ && as<Struct>(*each).forward_declared;
    bool forward_union = each->kind == DeclKind::union_ && as<Union>(*each).forward_declared;
    if (each->in_main_file && (forward_struct || forward_union)) out += "class " + identifier(*each) + ";\n";
  }
  return out.empty() ? out : out + "\n";
}

void TypeDeclarations::forward_declarations(const Contents& contents, NamespaceText& out) const {
  if (contents.empty()) return;
  out.add(namespace_of(*contents[0]), forward_classes(contents));
  for (const Declaration* each : contents) {
    if (each->kind == DeclKind::module) forward_declarations(as<Module>(*each).contents, out);
  }
}

void TypeDeclarations::types(const Contents& contents, NamespaceText& out) const {
  for (const Declaration* declaration : contents) {
    if (declaration->kind == DeclKind::module) {
      types(as<Module>(*declaration).contents, out);
    } else if (declaration->in_main_file && declaration->kind == DeclKind::interface) {
      interface(as<Interface>(*declaration), out);
    } else if (declaration->in_main_file && declaration->kind == DeclKind::value) {
      value(as<Value_>(*declaration), out);
    } else if (declaration->in_main_file) {
      out.add(namespace_of(*declaration), type_text(*declaration, false) + printers(*declaration));
    }
  }
}

void TypeDeclarations::interface(const Interface& decl, NamespaceText& out) const {
  std::string print_operators;
  for (const Declaration* each : decl.contents) print_operators += printers(*each);
  const bool ami = options_.ami && has_ami(decl);
  out.add(namespace_of(decl), stub(decl, forward_classes(decl.contents) + in_class(decl.contents),
                                   ami ? ami_stub_functions(decl) : "") +
                                  print_operators + (ami ? ami_classes(decl) : ""));
  if (ami) out.add("CORBA", ami_traits(decl));
}

void TypeDeclarations::value(const Value_& decl, NamespaceText& out) const {
  std::string print_operators;
  for (const Declaration* each : decl.contents) print_operators += printers(*each);
  out.add(namespace_of(decl),
          value_class(decl, forward_classes(decl.contents) + in_class(decl.contents)) + print_operators);
  if (!decl.abstract_) out.add(state_namespace(decl), value_state(decl));
}

}  // namespace orbweaver::idl::cpp
