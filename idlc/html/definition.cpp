#include "idlc/html/definition.h"

#include "idlc/ir/components.h"
#include "idlc/ir/values.h"

namespace orbweaver::idl::html {

using namespace ir;

namespace {

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
    if (auto* w = std::get_if<WideText>(&v)) return "L\"" + escaped(utf8(w->text)) + '"';
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

  std::string definition(const Declaration& d) {
    std::string head = std::string(noun(d.kind)) + " " + escaped(d.name);
    switch (d.kind) {
      case DeclKind::struct_:
        return "struct " + escaped(d.name) + (as<Struct>(d).base ? " : " + link(*as<Struct>(d).base) : "") +
               fields(as<Struct>(d).fields);
      case DeclKind::exception: return head + fields(as<Exception>(d).fields);
      case DeclKind::enum_: {
        std::string out;
        for (const Enumerator* each : as<Enum>(d).enumerators)
          out += (out.empty() ? " { " : ", ") + escaped(each->name);
        return head + out + " }";
      }
      case DeclKind::union_: {
        std::string out = head + " switch (" + type(*as<Union>(d).discriminator) + ") {\n";
        for (const UnionCase& each : as<Union>(d).cases) {
          for (const Value& label : each.labels) out += "  case " + value(label) + ":\n";
          if (each.is_default) out += "  default:\n";
          out += "    " + type(*each.field.type) + " " + escaped(each.field.name) +
                 dimensions(*each.field.type) + ";\n";
        }
        return out + "}";
      }
      case DeclKind::typedef_:
        return "typedef " + type(*as<Typedef>(d).type) + " " + escaped(d.name) +
               dimensions(*as<Typedef>(d).type);
      case DeclKind::constant:
        return "const " + type(*as<Constant>(d).type) + " " + escaped(d.name) + " = " +
               value(as<Constant>(d).value);
      case DeclKind::interface:
        return std::string(as<Interface>(d).abstract_ ? "abstract "
                           : as<Interface>(d).local   ? "local "
                                                      : "") +
               head + names(" : ", as<Interface>(d).bases);
      case DeclKind::value:
        return "valuetype " + escaped(d.name) + names(" : ", as<Value_>(d).bases) +
               names(" supports ", as<Value_>(d).supports);
      case DeclKind::value_box: return "valuetype " + escaped(d.name) + " " + type(*as<ValueBox>(d).type);
      case DeclKind::attribute:
        return std::string(as<Attribute>(d).readonly ? "readonly " : "") + "attribute " +
               type(*as<Attribute>(d).type) + " " + escaped(d.name) +
               raises("getraises", as<Attribute>(d).get_raises) +
               raises("setraises", as<Attribute>(d).set_raises);
      case DeclKind::operation:
        return std::string(as<Operation>(d).oneway ? "oneway " : "") + type(*as<Operation>(d).result) + " " +
               escaped(d.name) + parameters(as<Operation>(d).parameters) +
               raises("raises", as<Operation>(d).raises);
      case DeclKind::component:
      case DeclKind::connector:
      case DeclKind::porttype:
        return head + (as<Component>(d).base ? " : " + link(*as<Component>(d).base) : "") +
               names(" supports ", as<Component>(d).supports);
      case DeclKind::home:
        return head + (as<Home>(d).base ? " : " + link(*as<Home>(d).base) : "") +
               names(" supports ", as<Home>(d).supports) +
               (as<Home>(d).component ? " manages " + link(*as<Home>(d).component) : "") +
               (as<Home>(d).primary_key ? " primarykey " + link(*as<Home>(d).primary_key) : "");
      case DeclKind::port:
        return std::string(spelling(as<Port>(d).role)) + " " +
               (as<Port>(d).target ? link(*as<Port>(d).target) : "Object") + " " + escaped(d.name);
      case DeclKind::template_module: {
        std::string out;
        for (const auto& each : as<TemplateModule>(d).parameters)
          out += (out.empty() ? "" : ", ") + std::string(spelling(each.kind)) + " " + escaped(each.name);
        return "module " + escaped(d.name) + "&lt;" + out + "&gt;";
      }
      case DeclKind::factory:
      case DeclKind::finder:
        return head + parameters(as<Factory>(d).parameters) + raises("raises", as<Factory>(d).raises);
      case DeclKind::state_member:
        return std::string(as<StateMember>(d).public_ ? "public " : "private ") +
               type(*as<StateMember>(d).field.type) + " " + escaped(d.name) +
               dimensions(*as<StateMember>(d).field.type);
      case DeclKind::bitset:
        return head + (as<Bitset>(d).base ? " : " + link(*as<Bitset>(d).base) : "") +
               bitfields(as<Bitset>(d));
      case DeclKind::bitmask:
        return "@bit_bound(" + std::to_string(as<Bitmask>(d).bits) + ") " + head + flags(as<Bitmask>(d));
      default: return head;
    }
  }

 private:
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
  return Writer(link).definition(declaration);
}

}  // namespace orbweaver::idl::html
