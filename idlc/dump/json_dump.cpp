#include "idlc/dump/json_dump.h"

#include <nlohmann/json.hpp>

#include "idlc/ir/components.h"
#include "idlc/ir/values.h"

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

  ordered_json place(Span span) {
    if (!span.known()) return nullptr;
    auto at = sources_.position(span);
    return {{"file", at.path}, {"line", at.line}, {"column", at.column}};
  }

  static ordered_json value(const Value& v) {
    struct Visitor {
      ordered_json operator()(std::monostate) { return nullptr; }
      ordered_json operator()(bool b) { return b; }
      ordered_json operator()(char c) { return utf8(std::u32string(1, static_cast<unsigned char>(c))); }
      ordered_json operator()(Integer i) {
        if (i >= 0) return static_cast<std::uint64_t>(i);
        return static_cast<std::int64_t>(i);
      }
      ordered_json operator()(long double d) { return static_cast<double>(d); }
      ordered_json operator()(const std::string& s) { return utf8(std::u32string(s.begin(), s.end())); }
      ordered_json operator()(const WideText& w) { return utf8(w.text); }
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
    details(d, out);
    return out;
  }

  void details(const Declaration& d, ordered_json& out) {
    switch (d.kind) {
      case DeclKind::module:
        if (as<Module>(d).instance_of) out["instance_of"] = scoped_name(as<Module>(d).instance_of);
        out["definitions"] = all(as<Module>(d).contents);
        break;
      case DeclKind::interface: {
        const auto& i = as<Interface>(d);
        out["abstract"] = i.abstract_;
        out["local"] = i.local;
        out["bases"] = names(i.bases);
        out["definitions"] = all(i.contents);
        break;
      }
      case DeclKind::value: {
        const auto& v = as<Value_>(d);
        out["abstract"] = v.abstract_;
        out["custom"] = v.custom;
        out["truncatable"] = v.truncatable;
        out["event"] = v.event;
        out["bases"] = names(v.bases);
        out["supports"] = names(v.supports);
        out["definitions"] = all(v.contents);
        break;
      }
      case DeclKind::value_box: out["type"] = type(*as<ValueBox>(d).type); break;
      case DeclKind::struct_: {
        const auto& s = as<Struct>(d);
        if (s.base) out["base"] = scoped_name(s.base);
        if (!s.contents.empty()) out["definitions"] = all(s.contents);
        out["members"] = fields(s.fields);
        break;
      }
      case DeclKind::exception: {
        const auto& e = as<Exception>(d);
        if (!e.contents.empty()) out["definitions"] = all(e.contents);
        out["members"] = fields(e.fields);
        break;
      }
      case DeclKind::union_: union_(as<Union>(d), out); break;
      case DeclKind::enum_: {
        auto list = ordered_json::array();
        for (const Enumerator* each : as<Enum>(d).enumerators) list.push_back(each->name);
        out["enumerators"] = list;
        break;
      }
      case DeclKind::bitmask: {
        auto list = ordered_json::array();
        for (const Enumerator* each : as<Bitmask>(d).flags)
          list.push_back({{"name", each->name}, {"position", each->value}});
        out["bits"] = as<Bitmask>(d).bits;
        out["flags"] = list;
        break;
      }
      case DeclKind::bitset: {
        auto list = ordered_json::array();
        for (const Bitfield& each : as<Bitset>(d).fields)
          list.push_back({{"name", each.name}, {"bits", each.bits}, {"type", type(*each.type)}});
        if (as<Bitset>(d).base) out["base"] = scoped_name(as<Bitset>(d).base);
        out["fields"] = list;
        break;
      }
      case DeclKind::typedef_:
        out["type"] = type(*as<Typedef>(d).type);
        if (as<Typedef>(d).view) out["view"] = true;
        break;
      case DeclKind::constant:
        out["type"] = type(*as<Constant>(d).type);
        out["value"] = value(as<Constant>(d).value);
        break;
      case DeclKind::attribute: {
        const auto& a = as<Attribute>(d);
        out["readonly"] = a.readonly;
        out["type"] = type(*a.type);
        out["getraises"] = names(a.get_raises);
        out["setraises"] = names(a.set_raises);
        break;
      }
      case DeclKind::operation: {
        const auto& o = as<Operation>(d);
        out["oneway"] = o.oneway;
        out["result"] = type(*o.result);
        out["parameters"] = parameters(o.parameters);
        out["raises"] = names(o.raises);
        if (!o.contexts.empty()) out["contexts"] = o.contexts;
        break;
      }
      case DeclKind::factory:
      case DeclKind::finder:
        out["parameters"] = parameters(as<Factory>(d).parameters);
        out["raises"] = names(as<Factory>(d).raises);
        break;
      case DeclKind::state_member:
        out["public"] = as<StateMember>(d).public_;
        out["type"] = type(*as<StateMember>(d).field.type);
        break;
      case DeclKind::annotation: {
        auto list = ordered_json::array();
        for (const auto& each : as<AnnotationDeclaration>(d).members)
          list.push_back(
              {{"name", each.name}, {"type", type(*each.type)}, {"default", value(each.default_value)}});
        out["members"] = list;
        break;
      }
      case DeclKind::component:
      case DeclKind::connector:
      case DeclKind::porttype: {
        const auto& c = as<Component>(d);
        if (d.kind != DeclKind::porttype) out["base"] = c.base ? ordered_json(scoped_name(c.base)) : nullptr;
        if (d.kind == DeclKind::component) out["supports"] = names(c.supports);
        out["definitions"] = all(c.contents);
        break;
      }
      case DeclKind::home: {
        const auto& h = as<Home>(d);
        out["base"] = h.base ? ordered_json(scoped_name(h.base)) : nullptr;
        out["supports"] = names(h.supports);
        out["manages"] = h.component ? ordered_json(scoped_name(h.component)) : nullptr;
        out["primarykey"] = h.primary_key ? ordered_json(scoped_name(h.primary_key)) : nullptr;
        out["definitions"] = all(h.contents);
        break;
      }
      case DeclKind::port: {
        const auto& p = as<Port>(d);
        out["role"] = spelling(p.role);
        out["target"] = p.target ? scoped_name(p.target) : "Object";
        break;
      }
      case DeclKind::template_module: {
        auto list = ordered_json::array();
        for (const auto& each : as<TemplateModule>(d).parameters)
          list.push_back({{"name", each.name}, {"kind", spelling(each.kind)}});
        out["parameters"] = list;
        break;
      }
      case DeclKind::native:
      case DeclKind::enumerator: break;
    }
  }

  void union_(const Union& u, ordered_json& out) {
    if (!u.contents.empty()) out["definitions"] = all(u.contents);
    out["discriminator"] = type(*u.discriminator);
    auto list = ordered_json::array();
    for (const UnionCase& each : u.cases) {
      auto labels = ordered_json::array();
      for (const Value& label : each.labels) labels.push_back(value(label));
      ordered_json one = field(each.field);
      one["labels"] = labels;
      one["default"] = each.is_default;
      list.push_back(one);
    }
    out["cases"] = list;
  }

  const Sources& sources_;
};

}  // namespace

std::string dump_json(const Unit& unit, const Sources& sources) {
  return Dump(sources).unit(unit).dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace orbweaver::idl
