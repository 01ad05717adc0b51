#include "idlc/cpp/values.h"

#include <algorithm>
#include <functional>
#include <unordered_set>

#include "idlc/cpp/constructs.h"
#include "idlc/cpp/names.h"
#include "idlc/cpp/text.h"
#include "idlc/cpp/typecodes.h"

namespace orbweaver::idl::cpp {

using namespace ir;

namespace {

const Value_* concrete_base(const Value_& value) {
  return value.bases.empty() || value.bases[0]->abstract_ ? nullptr : value.bases[0];
}

std::vector<const StateMember*> members_of(const Value_& value) {
  std::vector<const StateMember*> out;
  for (const Declaration* each : value.contents) {
    if (each->kind == DeclKind::state_member) out.push_back(&as<StateMember>(*each));
  }
  return out;
}

// The members of the value type and its bases, those of bases first, and the number of inherited ones.
std::vector<const StateMember*> all_members(const Value_& value, std::size_t& inherited) {
  std::vector<const Value_*> chain;
  for (const Value_* each = &value; each != nullptr; each = concrete_base(*each)) chain.push_back(each);
  std::vector<const StateMember*> out;
  for (auto each = chain.rbegin(); each != chain.rend(); ++each) {
    inherited = out.size();
    for (const StateMember* member : members_of(**each)) out.push_back(member);
  }
  return out;
}

std::vector<const Factory*> factories_of(const Value_& value) {
  std::vector<const Factory*> out;
  for (const Declaration* each : value.contents) {
    if (each->kind == DeclKind::factory) out.push_back(&as<Factory>(*each));
  }
  return out;
}

bool has_operations(const std::vector<const Declaration*>& contents) {
  return std::any_of(contents.begin(), contents.end(), [](const Declaration* each) {
    return each->kind == DeclKind::operation || each->kind == DeclKind::attribute;
  });
}

// Whether the program has to implement operations of the value type, its bases or the interfaces that it
// supports, or its marshalling.
bool needs_implementation(const Value_& value) {
  std::vector<const Value_*> open{&value};
  std::unordered_set<const Value_*> known;
  while (!open.empty()) {
    const Value_& each = *open.back();
    open.pop_back();
    if (!known.insert(&each).second) continue;
    if (each.custom || has_operations(each.contents)) return true;
    for (const Interface* supported : each.supports) {
      if (!all_callables(*supported).empty()) return true;
    }
    open.insert(open.end(), each.bases.begin(), each.bases.end());
  }
  return false;
}

std::string factory_class(const Declaration& value) { return identifier(value) + "_init"; }

std::string storage(const StateMember& member) { return "_m_" + member.name; }

// The accessors of a member. `how` precedes each, "virtual " or nothing; `body` makes what follows.
std::string accessors(const Field& field, const std::string& how,
                      const std::function<std::string(std::string_view)>& body) {
  const std::string type = type_name(*field.type), name = identifier(field.name);
  std::string out;
  const bool scalar = is_scalar(*field.type);
  out += how + (scalar ? type : "const " + type + "&") + " " + name + "() const" + body("get");
  out += how + type + "& " + name + "()" + body("get");
  out += how + "void " + name + "(" + (scalar ? type : "const " + type + "&") + " _value)" + body("set");
  if (!scalar) out += how + "void " + name + "(" + type + "&& _value)" + body("move");
  return out + "\n";
}

std::string declared_accessors(const Value_& value, bool of_public) {
  std::string out;
  for (const StateMember* each : members_of(value)) {
    if (each->public_ == of_public)
      out += accessors(each->field, "virtual ", [](std::string_view) { return " = 0;\n"; });
  }
  return out;
}

std::string defined_accessors(const Value_& value, bool of_public) {
  std::string out;
  for (const StateMember* each : members_of(value)) {
    if (each->public_ != of_public) continue;
    const std::string stored = storage(*each);
    out += accessors(each->field, "", [&](std::string_view what) {
      if (what == "get") return " override { return " + stored + "; }\n";
      return " override { " + stored + " = " + (what == "move" ? "std::move(_value)" : "_value") + "; }\n";
    });
  }
  return out;
}

std::string pure_virtual(const std::vector<Call>& calls) {
  std::string out;
  for (const Call& call : calls)
    out += signature(call, "virtual " + type_name(*call.result) + " ", " = 0;\n", 2);
  return out;
}

// The bases of the class of a value type, and the operations of the supported interfaces that are not
// abstract: those are functions of the class itself.
void add_supported(const Value_& value, std::vector<std::string>& bases, std::string& operations) {
  std::unordered_set<const Interface*> known;
  for (const Interface* supported : value.supports) {
    for (const Interface* each : ancestry(*supported)) {
      if (!known.insert(each).second) continue;
      if (each->abstract_)
        bases.push_back("public virtual " + qualified(*each));
      else
        operations += pure_virtual(calls_of(*each));
    }
  }
}

std::string spaced(const std::string& text) { return text.empty() ? "" : text + "\n"; }

std::string trimmed(std::string text) {
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

std::string init_class(const Value_& value) {
  std::string functions;
  for (const Factory* each : factories_of(value)) {
    Call call;
    call.cpp_name = identifier(each->name);
    call.parameters = each->parameters;
    functions += signature(call, "virtual ::IDL::traits<" + qualified(value) + ">::ref_type ", " = 0;\n", 2);
  }
  const bool makes = !needs_implementation(value);
  return fill(
      R"(/// Base of the factories of $name$.
class $init$ : public ::CORBA::ValueFactoryBase {
$public$
$functions$
$create$
};

)",
      {{"name", identifier(value)},
       {"init", factory_class(value)},
       {"public", functions.empty() && !makes ? "" : " public:"},
       {"functions", indented(functions, 2)},
       {"create",
        makes ? "  ::IDL::traits<::CORBA::ValueBase>::ref_type create_for_unmarshal() override;\n" : ""}});
}

std::string type_functions(const Declaration& decl, bool has_values) {
  return "static const char* _interface_id() noexcept { return " + string_literal(decl.repository_id()) +
         "; }\n" + "static const ::orbweaver::ValueType& _static_value_type() noexcept;\n" +
         (has_values ? "const ::orbweaver::ValueType& _value_type() const noexcept override;\n" : "") +
         "static _ref_type _downcast(const ::IDL::traits<::CORBA::ValueBase>::ref_type& _value) {\n" +
         "  return ::IDL::traits<" + qualified(decl) + ">::narrow(_value);\n}\n";
}

std::string state_functions() {
  return R"(void _encode_state(::orbweaver::cdr::Encoder& _out) const override;
void _decode_state(::orbweaver::cdr::Decoder& _in) override;
void _print_state(std::ostream& _os) const override;
)";
}

// The constructor of all members. Those of bases are set by their accessors: a virtual base is initialised by
// the most derived class, which may be the program's.
std::string constructor(const Value_& value) {
  std::size_t inherited = 0;
  const std::vector<const StateMember*> members = all_members(value, inherited);
  if (members.empty()) return {};
  std::vector<std::string> parameters, initialisers;
  std::string body;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Field& field = members[i]->field;
    const std::string name = identifier(field.name);
    parameters.push_back(type_name(*field.type) + " " + name);
    const std::string moved = is_scalar(*field.type) ? name : "std::move(" + name + ")";
    if (i < inherited)
      body += "  this->" + name + "(" + moved + ");\n";
    else
      initialisers.push_back(storage(*members[i]) + "(" + moved + ")");
  }
  std::string out =
      list((members.size() == 1 ? "explicit " : "") + identifier(value) + "(", parameters, ")", 2);
  if (!initialisers.empty()) out += "\n    : " + join(initialisers, ",\n      ");
  return out + (body.empty() ? " {}\n" : " {\n" + body + "}\n");
}

std::string value_type_body(const Declaration& decl, const std::string& base, bool abstract, bool custom,
                            bool truncatable, const std::string& make_box) {
  const auto word = [](bool is) { return is ? "true" : "false"; };
  return fill(R"(const ::orbweaver::ValueType& $name$::_static_value_type() noexcept {
  static const ::orbweaver::ValueType kType{
      $id$, $text$, $base$,
      &::$constants$::_tc_$plain$, $abstract$, $custom$, $truncatable$, $box$};
  return kType;
}

)",
              {{"name", identifier(decl)},
               {"id", string_literal(decl.repository_id())},
               {"text", string_literal(scoped_name(&decl).substr(2))},
               {"base", base},
               {"constants", constants_namespace(decl)},
               {"plain", decl.name},
               {"abstract", word(abstract)},
               {"custom", word(custom)},
               {"truncatable", word(truncatable)},
               {"box", make_box}});
}

// Makes the type known to the run time before main.
std::string registration(const Declaration& decl) {
  return fill(
      R"(const ::orbweaver::ValueType& $name$::_value_type() const noexcept { return _static_value_type(); }

[[maybe_unused]] static const ::orbweaver::KnownValueType orbweaver_idl_known_$plain${
    $name$::_static_value_type()};

)",
      {{"name", identifier(decl)}, {"plain", decl.name}});
}

}  // namespace

std::string state_class(const Value_& value) { return "::OBV" + qualified(value); }

std::string state_namespace(const Declaration& value) {
  const std::string space = namespace_of(value);
  return space.empty() ? "OBV" : "OBV::" + space;
}

bool is_custom(const Value_& value) {
  for (const Value_* each = &value; each != nullptr; each = concrete_base(*each)) {
    if (each->custom) return true;
  }
  return false;
}

std::string value_forward(const Declaration& decl) {
  const bool stateful = decl.kind == DeclKind::value && !as<Value_>(decl).abstract_;
  return "class " + identifier(decl) + ";\n" + (stateful ? "class " + factory_class(decl) + ";\n" : "");
}

std::string value_state_forward(const Declaration& decl) {
  if (decl.kind != DeclKind::value || as<Value_>(decl).abstract_) return {};
  return "class " + identifier(decl) + ";\n";
}

std::string value_traits(const Declaration& decl) {
  std::string base = "value_box_traits<" + qualified(decl) + ">";
  if (decl.kind == DeclKind::value) {
    const auto& value = as<Value_>(decl);
    base = value.abstract_ ? "abstract_value_traits<" + qualified(decl) + ">"
                           : "stateful_value_traits<" + qualified(decl) + ", " + state_class(value) + ", " +
                                 qualified(decl) + "_init, " + (value.truncatable ? "true" : "false") + ">";
  }
  return "template <>\nstruct traits<" + qualified(decl) + ">\n    : ::orbweaver::" + base + " {};\n";
}

std::string value_class(const Value_& decl, const std::string& types) {
  std::vector<std::string> bases;
  for (const Value_* base : decl.bases) bases.push_back("public virtual " + qualified(*base));
  if (bases.empty()) bases.push_back("public virtual ::CORBA::ValueBase");
  if (decl.custom) bases.push_back("public virtual ::CORBA::CustomMarshal");
  std::string operations;
  add_supported(decl, bases, operations);
  operations += pure_virtual(calls_of(decl.contents));
  const std::string hidden = declared_accessors(decl, false);
  std::string out = list("class " + identifier(decl) + " : ", bases, " {\n") +
                    fill(R"( public:
  using _ref_type = ::IDL::traits<$type$>::ref_type;
$types$
$operations$
$accessors$
$functions$

 protected:
$hidden$
  $name$() = default;
  ~$name$() override = default;
};

)",
                         {{"name", identifier(decl)},
                          {"type", qualified(decl)},
                          {"types", types.empty() ? "" : "\n" + indented(types, 2)},
                          {"operations", spaced(indented(operations, 2))},
                          {"accessors", indented(declared_accessors(decl, true), 2)},
                          {"functions", indented(type_functions(decl, !decl.abstract_), 2)},
                          {"hidden", indented(hidden, 2)}});
  return decl.abstract_ ? out : out + init_class(decl);
}

std::string value_state(const Value_& decl) {
  std::vector<std::string> bases{"public virtual " + qualified(decl)};
  if (const Value_* base = concrete_base(decl)) bases.push_back("public virtual " + state_class(*base));
  std::string stored;
  for (const StateMember* each : members_of(decl)) {
    const Type& type = *each->field.type;
    stored += type_name(type) + " " + storage(*each) + initialiser(type) + ";\n";
  }
  const std::string hidden = defined_accessors(decl, false);
  return list("class " + identifier(decl) + " : ", bases, " {\n") +
         fill(R"( public:
  $name$() = default;
$constructor$
$accessors$
$functions$

 protected:
$hidden$
  ~$name$() override = default;
$private$
$stored$
};

)",
              {{"name", identifier(decl)},
               {"constructor", spaced(indented(constructor(decl), 2))},
               {"accessors", indented(defined_accessors(decl, true), 2)},
               {"functions", indented(state_functions(), 2)},
               {"hidden", indented(hidden, 2)},
               {"private", stored.empty() ? "" : "\n private:"},
               {"stored", indented(stored, 2)}});
}

std::string value_box(const ValueBox& decl, const std::string& types) {
  const std::string type = type_name(*decl.type);
  const bool scalar = is_scalar(*decl.type);
  return fill(
      R"(class $name$ final : public virtual ::CORBA::ValueBase {
 public:
  using _ref_type = ::IDL::traits<$type$>::ref_type;
$types$
  $name$() = default;
  explicit $name$($boxed$ _boxed) : _m_value($moved$) {}

  $get$ _value() const { return _m_value; }
  $boxed$& _value() { return _m_value; }
  void _value($get$ _boxed) { _m_value = _boxed; }
$move$

$functions$
$state$

 protected:
  ~$name$() override = default;

 private:
  $boxed$ _m_value$initialiser$;
};

)",
      {{"name", identifier(decl)},
       {"type", qualified(decl)},
       {"types", types.empty() ? "" : "\n" + indented(types, 2)},
       {"boxed", type},
       {"moved", scalar ? "_boxed" : "std::move(_boxed)"},
       {"get", scalar ? type : "const " + type + "&"},
       {"move", scalar ? "" : "  void _value(" + type + "&& _boxed) { _m_value = std::move(_boxed); }\n"},
       {"functions", trimmed(indented(type_functions(decl, true), 2))},
       {"state", indented(state_functions(), 2)},
       {"initialiser", initialiser(*decl.type)}});
}

std::string value_codec(const Declaration& decl) {
  return fill(R"(template <>
struct Codec<::CORBA::object_reference<$type$>> : $kind$Codec<$type$> {};

)",
              {{"type", qualified(decl)}, {"kind", decl.kind == DeclKind::interface ? "Abstract" : "Value"}});
}

std::string value_body(const Declaration& decl) {
  if (decl.kind == DeclKind::value_box) {
    const std::string make =
        "\n      []() -> ::IDL::traits<::CORBA::ValueBase>::ref_type { return ::CORBA::make_reference<" +
        qualified(decl) + ">(); }";
    return value_type_body(decl, "nullptr", false, false, false, make) + registration(decl) +
           fill(R"(void $name$::_encode_state(::orbweaver::cdr::Encoder& _out) const {
  ::orbweaver::cdr::encode(_out, _m_value);
}
void $name$::_decode_state(::orbweaver::cdr::Decoder& _in) { ::orbweaver::cdr::decode(_in, _m_value); }
void $name$::_print_state(std::ostream& _os) const { ::orbweaver::print(_os, _m_value); }

)",
                {{"name", identifier(decl)}});
  }
  const auto& value = as<Value_>(decl);
  const Value_* base = concrete_base(value);
  std::string out =
      value_type_body(decl, base ? "&" + qualified(*base) + "::_static_value_type()" : "nullptr",
                      value.abstract_, value.custom, value.truncatable, "nullptr");
  if (value.abstract_) return out;
  out += registration(decl);
  if (!needs_implementation(value)) {
    out += fill(R"(::IDL::traits<::CORBA::ValueBase>::ref_type $init$::create_for_unmarshal() {
  return ::CORBA::make_reference<$state$>();
}

)",
                {{"init", factory_class(decl)}, {"state", state_class(value)}});
  }
  return out;
}

std::string value_state_body(const Value_& decl) {
  const std::string name = identifier(decl);
  std::string encodes, decodes, prints;
  const Value_* base = concrete_base(decl);
  if (base) {
    encodes = state_class(*base) + "::_encode_state(_out);\n";
    decodes = state_class(*base) + "::_decode_state(_in);\n";
    prints = state_class(*base) + "::_print_state(_os);\n";
  }
  std::size_t printed = 0;
  static_cast<void>(all_members(decl, printed));  // the number of inherited members
  for (const StateMember* each : members_of(decl)) {
    const std::string stored = storage(*each);
    encodes += "::orbweaver::cdr::encode(_out, " + stored + ");\n";
    decodes += "::orbweaver::cdr::decode(_in, " + stored + ");\n";
    prints += "_os << \"" + std::string(printed++ == 0 ? "" : ", ") + each->name +
              ": \";\n::orbweaver::print(_os, " + stored + ");\n";
  }
  if (is_custom(decl)) {
    encodes = "::orbweaver::cdr::marshal_custom(*this, _out);\n";
    decodes = "::orbweaver::cdr::unmarshal_custom(*this, _in);\n";
  }
  const auto unused = [](std::string& lines, const char* what) {
    if (lines.empty()) lines = std::string("static_cast<void>(") + what + ");\n";
  };
  unused(encodes, "_out");
  unused(decodes, "_in");
  unused(prints, "_os");
  return fill(R"(void $name$::_encode_state(::orbweaver::cdr::Encoder& _out) const {
$encodes$
}

void $name$::_decode_state(::orbweaver::cdr::Decoder& _in) {
$decodes$
}

void $name$::_print_state(std::ostream& _os) const {
$prints$
}

)",
              {{"name", name},
               {"encodes", indented(encodes, 2)},
               {"decodes", indented(decodes, 2)},
               {"prints", indented(prints, 2)}});
}

}  // namespace orbweaver::idl::cpp
