#include "idlc/cpp/constructs.h"
#include "idlc/cpp/names.h"
#include "idlc/cpp/text.h"

namespace orbweaver::idl::cpp {

using namespace ir;

namespace {

std::string body_of_fields(const std::vector<Field>& fields, bool in_exception) {
  std::string out;
  for (const Field& field : fields) {
    std::string separator = &field == &fields[0] ? "" : ", ";
    std::string name = in_exception && field.name == "what" ? "_cxx_what" : identifier(field.name);
    out += "_os << \"" + separator + field.name + ": \";\n::orbweaver::print(_os, _value." + name + "());\n";
  }
  return out;
}

std::string print_function(const Declaration& decl, const std::string& body, bool by_value) {
  return fill(
      R"(std::ostream& operator<<(std::ostream& _os, $type$ _value) {
$body$
}

)",
      {{"type", by_value ? qualified(decl) : "const " + qualified(decl) + "&"}, {"body", indented(body, 2)}});
}

std::string enum_body(const Enum& decl) {
  std::vector<std::string> names;
  for (const Enumerator* each : decl.enumerators) names.push_back(string_literal(each->name));
  return fill(R"($names$
const auto n = static_cast<std::uint32_t>(_value);
return n < $count$ ? _os << kNames[n] : _os << "$name$(" << n << ')';
)",
              {{"names", list("static constexpr const char* kNames[] = {", names, "};\n", 2)},
               {"count", std::to_string(names.size())},
               {"name", scoped_name(&decl).substr(2)}});
}

std::string fields_body(const Declaration& decl, const std::vector<Field>& fields, const Struct* base) {
  std::string open = "_os << \"" + scoped_name(&decl).substr(2) + "{\";\n";
  if (base)
    open += "_os << static_cast<const " + qualified(*base) + "&>(_value)" +
            (fields.empty() ? "" : " << \", \"") + ";\n";
  std::string ignored = fields.empty() && !base ? "static_cast<void>(_value);\n" : "";
  return ignored + open + body_of_fields(fields, decl.kind == DeclKind::exception) + "return _os << '}';\n";
}

std::string union_body(const Union& decl) {
  std::string cases;
  for (const UnionCase& each : decl.cases) {
    for (const Value& label : each.labels) cases += "  case " + literal(label, *decl.discriminator) + ":\n";
    if (each.is_default) cases += "  default:\n";
    cases += "    _os << \"" + each.field.name + ": \";\n    ::orbweaver::print(_os, _value." +
             identifier(each.field.name) + "());\n    break;\n";
  }
  if (decl.has_implicit_default) cases += "  default:\n    _os << \"empty\";\n    break;\n";
  return "_os << \"" + scoped_name(&decl).substr(2) + "{\";\nswitch (" + switch_operand(decl, "_value._d()") +
         ") {\n" + cases + "}\nreturn _os << '}';\n";
}

}  // namespace

std::string print_declaration(const Declaration& decl) {
  switch (decl.kind) {
    case DeclKind::enum_:
      return "std::ostream& operator<<(std::ostream& _os, " + qualified(decl) + " _value);\n\n";
    case DeclKind::bitmask:
      return bitmask_operators(as<Bitmask>(decl)) + "std::ostream& operator<<(std::ostream& _os, " +
             qualified(decl) + " _value);\n\n";
    case DeclKind::bitset:
    case DeclKind::exception:
      return "std::ostream& operator<<(std::ostream& _os, const " + qualified(decl) + "& _value);\n\n";
    case DeclKind::struct_:
    case DeclKind::union_:
      return "inline void swap(" + qualified(decl) + "& _a, " + qualified(decl) +
             "& _b) noexcept { _a.swap(_b); }\n" + "std::ostream& operator<<(std::ostream& _os, const " +
             qualified(decl) + "& _value);\n\n";
    default: return {};
  }
}

std::string print_body(const Declaration& decl) {
  switch (decl.kind) {
    case DeclKind::enum_: return print_function(decl, enum_body(as<Enum>(decl)), true);
    case DeclKind::bitmask: return print_function(decl, bits_print_body(decl), true);
    case DeclKind::bitset: return print_function(decl, bits_print_body(decl), false);
    case DeclKind::struct_:
      return print_function(decl, fields_body(decl, as<Struct>(decl).fields, as<Struct>(decl).base), false);
    case DeclKind::exception:
      return print_function(decl, fields_body(decl, as<Exception>(decl).fields, nullptr), false);
    case DeclKind::union_: return print_function(decl, union_body(as<Union>(decl)), false);
    default: return {};
  }
}

}  // namespace orbweaver::idl::cpp
