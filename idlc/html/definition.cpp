#include "idlc/html/definition.h"

#include "idlc/ir/values.h"
#include "idlc/ir/visit.h"
#include "idlc/source/utf8.h"

namespace orbweaver::idl::html {

using namespace ir;

namespace {

// Writes a declaration in IDL syntax, with links.
class Writer {
 public:
  explicit Writer(const Link& to) : link(to) {}

  std::string type(const Type& t) {
    std::string bound = t.bound ? ", " + std::to_string(t.bound) : "";
    switch (t.kind) {
      case TypeKind::declared: return link(*t.declaration);
      case TypeKind::sequence: return "sequence&lt;" + type(*t.element) + bound + "&gt;";
      case TypeKind::map: return "map&lt;" + type(*t.key) + ", " + type(*t.element) + bound + "&gt;";
      case TypeKind::array: return type(*t.element);
      default: return escaped(describe(t));
    }
  }
  static std::string dimensions(const Type& t) {
    std::string out;
    for (std::uint64_t each : t.dimensions) out += "[" + std::to_string(each) + "]";
    return out;
  }

  static std::string value(const Value& v) {
    if (auto* i = std::get_if<Integer>(&v)) return to_string(*i);
    if (auto* b = std::get_if<bool>(&v)) return *b ? "TRUE" : "FALSE";
    if (auto* d = std::get_if<long double>(&v)) return to_string(*d, TypeKind::double_);
    if (auto* s = std::get_if<std::string>(&v)) return '"' + escaped(*s) + '"';
    if (auto* c = std::get_if<char>(&v)) return "'" + escaped(std::string(1, *c)) + "'";
    if (auto* w = std::get_if<WideText>(&v)) return "L\"" + escaped(to_utf8(w->text)) + '"';
    if (auto* f = std::get_if<Fixed>(&v)) return to_string(*f) + "d";
    if (auto* e = std::get_if<const Enumerator*>(&v)) return (*e)->name;
    return "";
  }

  std::string names(std::string_view before, const auto& list) {
    std::string out;
    for (const auto* each : list) out += (out.empty() ? std::string(before) : ", ") + link(*each);
    return out;
  }

  std::string fields(const std::vector<Field>& list) {
    std::string out = " {\n";
    for (const Field& each : list)
      out += "  " + type(*each.type) + " " + escaped(each.name) + dimensions(*each.type) + ";\n";
    return out + "}";
  }

  std::string parameters(const std::vector<Parameter>& list) {
    constexpr const char* kDirections[] = {"in ", "out ", "inout "};
    std::string out;
    for (const Parameter& each : list) {
      out += (out.empty() ? "" : ", ") + std::string(each.view ? "@view " : "") +
             kDirections[static_cast<int>(each.direction)] + type(*each.type) + " " + escaped(each.name);
    }
    return "(" + out + ")";
  }

  std::string raises(std::string_view word, const std::vector<const Declaration*>& list) {
    return list.empty() ? "" : " " + names(std::string(word) + " (", list) + ")";
  }

  std::string bitfields(const Bitset& set) {
    std::string out = " {\n";
    for (const Bitfield& each : set.fields) {
      out += "  bitfield&lt;" + std::to_string(each.bits) + (each.type ? ", " + type(*each.type) : "") +
             "&gt;" + (each.name.empty() ? "" : " " + escaped(each.name)) + ";\n";
    }
    return out + "}";
  }
  static std::string flags(const Bitmask& mask) {
    std::string out;
    for (const Enumerator* each : mask.flags)
      out += (out.empty() ? " { " : ", ") + ("@position(" + std::to_string(each->value) + ") ") +
             escaped(each->name);
    return out + " }";
  }

  std::string operator()(const Struct& d) { return head(d) + base(d.base) + fields(d.fields); }
  std::string operator()(const Exception& d) { return head(d) + fields(d.fields); }
  std::string operator()(const Enum& d) {
    std::string out;
    for (const Enumerator* each : d.enumerators) out += (out.empty() ? " { " : ", ") + escaped(each->name);
    return head(d) + out + " }";
  }
  std::string operator()(const Union& d) {
    std::string out = head(d) + " switch (" + type(*d.discriminator) + ") {\n";
    for (const UnionCase& each : d.cases) {
      for (const Value& label : each.labels) out += "  case " + value(label) + ":\n";
      if (each.is_default) out += "  default:\n";
      out += "    " + type(*each.field.type) + " " + escaped(each.field.name) + dimensions(*each.field.type) +
             ";\n";
    }
    return out + "}";
  }
  std::string operator()(const Typedef& d) {
    return "typedef " + type(*d.type) + " " + escaped(d.name) + dimensions(*d.type);
  }
  std::string operator()(const Constant& d) {
    return "const " + type(*d.type) + " " + escaped(d.name) + " = " + value(d.value);
  }
  std::string operator()(const Interface& d) {
    return std::string(d.abstract_ ? "abstract " : d.local ? "local " : "") + head(d) + names(" : ", d.bases);
  }
  std::string operator()(const Value_& d) {
    return "valuetype " + escaped(d.name) + names(" : ", d.bases) + names(" supports ", d.supports);
  }
  std::string operator()(const ValueBox& d) { return "valuetype " + escaped(d.name) + " " + type(*d.type); }
  std::string operator()(const Attribute& d) {
    return std::string(d.readonly ? "readonly " : "") + "attribute " + type(*d.type) + " " + escaped(d.name) +
           raises("getraises", d.get_raises) + raises("setraises", d.set_raises);
  }
  std::string operator()(const Operation& d) {
    return std::string(d.oneway ? "oneway " : "") + type(*d.result) + " " + escaped(d.name) +
           parameters(d.parameters) + raises("raises", d.raises);
  }
  std::string operator()(const Component& d) {
    return head(d) + base(d.base) + names(" supports ", d.supports);
  }
  std::string operator()(const Home& d) {
    return head(d) + base(d.base) + names(" supports ", d.supports) +
           (d.component ? " manages " + link(*d.component) : "") +
           (d.primary_key ? " primarykey " + link(*d.primary_key) : "");
  }
  std::string operator()(const Port& d) {
    return std::string(spelling(d.role)) + " " + (d.target ? link(*d.target) : "Object") + " " +
           escaped(d.name);
  }
  std::string operator()(const TemplateModule& d) {
    std::string out;
    for (const auto& each : d.parameters)
      out += (out.empty() ? "" : ", ") + std::string(spelling(each.kind)) + " " + escaped(each.name);
    return "module " + escaped(d.name) + "&lt;" + out + "&gt;";
  }
  std::string operator()(const Factory& d) {
    return head(d) + parameters(d.parameters) + raises("raises", d.raises);
  }
  std::string operator()(const StateMember& d) {
    return std::string(d.public_ ? "public " : "private ") + type(*d.field.type) + " " + escaped(d.name) +
           dimensions(*d.field.type);
  }
  std::string operator()(const Bitset& d) { return head(d) + base(d.base) + bitfields(d); }
  std::string operator()(const Bitmask& d) {
    return "@bit_bound(" + std::to_string(d.bits) + ") " + head(d) + flags(d);
  }
  std::string operator()(const Declaration& d) { return head(d); }

 private:
  static std::string head(const Declaration& d) { return std::string(noun(d.kind)) + " " + escaped(d.name); }
  std::string base(const Declaration* d) { return d ? " : " + link(*d) : ""; }

  const Link& link;
};

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string definition(const Declaration& declaration, const Link& link) {
  return visit(declaration, Writer(link));
}

}  // namespace orbweaver::idl::html
