#include "idlc/dump/json_dump.h"

#include <nlohmann/json.hpp>

#include "idlc/ir/values.h"
#include "idlc/ir/visit.h"
#include "idlc/source/utf8.h"

namespace orbweaver::idl {
namespace {

using namespace ir;
using nlohmann::ordered_json;

class Dump {
 public:
  explicit Dump(const Sources& sources) : sources_(sources) {}

  ordered_json unit(const Unit& unit) {
    return {{"format", 1},
            {"file", unit.main_path},
            {"files", unit.files},
            {"includes", unit.includes},
            {"definitions", all(unit.contents)}};
  }

 private:
  ordered_json all(const std::vector<const Declaration*>& contents) {
    auto out = ordered_json::array();
    for (const Declaration* each : contents) out.push_back(declaration(*each));
    return out;
  }

  static ordered_json names(const auto& declarations) {
    auto out = ordered_json::array();
    for (const auto* each : declarations) out.push_back(scoped_name(each));
    return out;
  }

  static ordered_json name_or_null(const Declaration* d) {
    return d ? ordered_json(scoped_name(d)) : ordered_json(nullptr);
  }

  ordered_json place(Span span) {
    if (!span.known()) return nullptr;
    auto at = sources_.position(span);
    return {{"file", at.path}, {"line", at.line}, {"column", at.column}};
  }

  static ordered_json value(const Value& v) {
    struct Visitor {
      ordered_json operator()(std::monostate) { return nullptr; }
      ordered_json operator()(bool b) { return b; }
      ordered_json operator()(char c) { return to_utf8(std::u32string(1, static_cast<unsigned char>(c))); }
      ordered_json operator()(Integer i) {
        if (i >= 0) return static_cast<std::uint64_t>(i);
        return static_cast<std::int64_t>(i);
      }
      ordered_json operator()(long double d) { return static_cast<double>(d); }
      ordered_json operator()(const std::string& s) { return to_utf8(std::u32string(s.begin(), s.end())); }
      ordered_json operator()(const WideText& w) { return to_utf8(w.text); }
      ordered_json operator()(const Fixed& f) { return to_string(f); }
      ordered_json operator()(const Enumerator* e) { return scoped_name(e); }
    };
    return std::visit(Visitor{}, v);
  }

  static ordered_json type(const Type& t) {
    ordered_json out;
    if (t.kind == TypeKind::declared) {
      out["kind"] = "named";
      out["name"] = scoped_name(t.declaration);
      return out;
    }
    out["kind"] = t.kind == TypeKind::array ? "array" : std::string(spelling(t.kind));
    if (t.key) out["key"] = type(*t.key);
    if (t.element) out["element"] = type(*t.element);
    if (t.bound) out["bound"] = t.bound;
    if (!t.dimensions.empty()) out["dimensions"] = t.dimensions;
    if (t.digits) {
      out["digits"] = t.digits;
      out["scale"] = t.scale;
    }
    return out;
  }

  static ordered_json annotations(const Annotations& uses) {
    auto out = ordered_json::array();
    for (const AnnotationUse& use : uses) {
      ordered_json arguments = ordered_json::object();
      for (const auto& argument : use.arguments)
        arguments[argument.name.empty() ? "value" : argument.name] = value(argument.value);
      out.push_back({{"name", use.name}, {"arguments", arguments}});
    }
    return out;
  }

  ordered_json field(const Field& f) {
    ordered_json out{{"name", f.name}, {"type", type(*f.type)}};
    if (!f.annotations.empty()) out["annotations"] = annotations(f.annotations);
    if (!f.comment.empty()) out["comment"] = std::string(f.comment);
    return out;
  }
  ordered_json fields(const std::vector<Field>& list) {
    auto out = ordered_json::array();
    for (const Field& each : list) out.push_back(field(each));
    return out;
  }

  static ordered_json parameters(const std::vector<Parameter>& list) {
    constexpr const char* kDirections[] = {"in", "out", "inout"};
    auto out = ordered_json::array();
    for (const Parameter& each : list) {
      ordered_json one{{"name", each.name},
                       {"direction", kDirections[static_cast<int>(each.direction)]},
                       {"type", type(*each.type)}};
      if (each.view) one["view"] = true;
      if (!each.annotations.empty()) one["annotations"] = annotations(each.annotations);
      out.push_back(one);
    }
    return out;
  }

  ordered_json declaration(const Declaration& d) {
    ordered_json out{{"kind", noun(d.kind)},           {"name", d.name},
                     {"scoped_name", scoped_name(&d)}, {"repository_id", d.repository_id()},
                     {"location", place(d.span)},      {"main_file", d.in_main_file}};
    if (!d.comment.empty()) out["comment"] = std::string(d.comment);
    if (!d.annotations.empty()) out["annotations"] = annotations(d.annotations);
    visit(d, [&](const auto& declaration) { details(declaration, out); });
    return out;
  }

  // The members of `out` that depend on the kind of declaration.
  void details(const Module& d, ordered_json& out) {
    if (d.instance_of) out["instance_of"] = scoped_name(d.instance_of);
    out["definitions"] = all(d.contents);
  }
  void details(const Interface& d, ordered_json& out) {
    out["abstract"] = d.abstract_;
    out["local"] = d.local;
    out["bases"] = names(d.bases);
    out["definitions"] = all(d.contents);
  }
  void details(const Value_& d, ordered_json& out) {
    out["abstract"] = d.abstract_;
    out["custom"] = d.custom;
    out["truncatable"] = d.truncatable;
    out["event"] = d.event;
    out["bases"] = names(d.bases);
    out["supports"] = names(d.supports);
    out["definitions"] = all(d.contents);
  }
  void details(const ValueBox& d, ordered_json& out) { out["type"] = type(*d.type); }
  void details(const Struct& d, ordered_json& out) {
    if (d.base) out["base"] = scoped_name(d.base);
    if (!d.contents.empty()) out["definitions"] = all(d.contents);
    out["members"] = fields(d.fields);
  }
  void details(const Exception& d, ordered_json& out) {
    if (!d.contents.empty()) out["definitions"] = all(d.contents);
    out["members"] = fields(d.fields);
  }
  void details(const Union& d, ordered_json& out) {
    if (!d.contents.empty()) out["definitions"] = all(d.contents);
    out["discriminator"] = type(*d.discriminator);
    auto list = ordered_json::array();
    for (const UnionCase& each : d.cases) {
      auto labels = ordered_json::array();
      for (const Value& label : each.labels) labels.push_back(value(label));
      ordered_json one = field(each.field);
      one["labels"] = labels;
      one["default"] = each.is_default;
      list.push_back(one);
    }
    out["cases"] = list;
  }
  void details(const Enum& d, ordered_json& out) {
    auto list = ordered_json::array();
    for (const Enumerator* each : d.enumerators) list.push_back(each->name);
    out["enumerators"] = list;
  }
  void details(const Bitmask& d, ordered_json& out) {
    auto list = ordered_json::array();
    for (const Enumerator* each : d.flags) list.push_back({{"name", each->name}, {"position", each->value}});
    out["bits"] = d.bits;
    out["flags"] = list;
  }
  void details(const Bitset& d, ordered_json& out) {
    auto list = ordered_json::array();
    for (const Bitfield& each : d.fields)
      list.push_back({{"name", each.name}, {"bits", each.bits}, {"type", type(*each.type)}});
    if (d.base) out["base"] = scoped_name(d.base);
    out["fields"] = list;
  }
  void details(const Typedef& d, ordered_json& out) {
    out["type"] = type(*d.type);
    if (d.view) out["view"] = true;
  }
  void details(const Constant& d, ordered_json& out) {
    out["type"] = type(*d.type);
    out["value"] = value(d.value);
  }
  void details(const Attribute& d, ordered_json& out) {
    out["readonly"] = d.readonly;
    out["type"] = type(*d.type);
    out["getraises"] = names(d.get_raises);
    out["setraises"] = names(d.set_raises);
  }
  void details(const Operation& d, ordered_json& out) {
    out["oneway"] = d.oneway;
    out["result"] = type(*d.result);
    out["parameters"] = parameters(d.parameters);
    out["raises"] = names(d.raises);
    if (!d.contexts.empty()) out["contexts"] = d.contexts;
  }
  void details(const Factory& d, ordered_json& out) {
    out["parameters"] = parameters(d.parameters);
    out["raises"] = names(d.raises);
  }
  void details(const StateMember& d, ordered_json& out) {
    out["public"] = d.public_;
    out["type"] = type(*d.field.type);
  }
  void details(const AnnotationDeclaration& d, ordered_json& out) {
    auto list = ordered_json::array();
    for (const auto& each : d.members)
      list.push_back(
          {{"name", each.name}, {"type", type(*each.type)}, {"default", value(each.default_value)}});
    out["members"] = list;
  }
  void details(const Component& d, ordered_json& out) {
    if (d.kind != DeclKind::porttype) out["base"] = name_or_null(d.base);
    if (d.kind == DeclKind::component) out["supports"] = names(d.supports);
    out["definitions"] = all(d.contents);
  }
  void details(const Home& d, ordered_json& out) {
    out["base"] = name_or_null(d.base);
    out["supports"] = names(d.supports);
    out["manages"] = name_or_null(d.component);
    out["primarykey"] = name_or_null(d.primary_key);
    out["definitions"] = all(d.contents);
  }
  void details(const Port& d, ordered_json& out) {
    out["role"] = spelling(d.role);
    out["target"] = d.target ? scoped_name(d.target) : "Object";
  }
  void details(const TemplateModule& d, ordered_json& out) {
    auto list = ordered_json::array();
    for (const auto& each : d.parameters)
      list.push_back({{"name", each.name}, {"kind", spelling(each.kind)}});
    out["parameters"] = list;
  }
  void details(const Native&, ordered_json&) {}
  void details(const Enumerator&, ordered_json&) {}

  const Sources& sources_;
};

}  // namespace

std::string dump_json(const Unit& unit, const Sources& sources) {
  return Dump(sources).unit(unit).dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace orbweaver::idl
