#include <algorithm>

#include "idlc/cpp/constructs.h"
#include "idlc/cpp/names.h"
#include "idlc/cpp/text.h"
#include "idlc/ir/layout.h"
#include "idlc/ir/values.h"

namespace orbweaver::idl::cpp {

using namespace ir;

namespace {

std::string unnamed_value(const Union& decl) {
  const Type& type = resolved(*decl.discriminator);
  std::size_t labels = 0;
  for (const UnionCase& each : decl.cases) labels += each.labels.size();
  // The smallest number that is not a label is at most the number of labels.
  std::vector<bool> taken(labels + 1, false);
  for (const UnionCase& each : decl.cases) {
    for (const Value& label : each.labels) {
      const Integer number = label_number(label);
      if (number >= 0 && number <= static_cast<Integer>(labels))
        taken[static_cast<std::size_t>(number)] = true;
    }
  }
  const Integer n = std::find(taken.begin(), taken.end(), false) - taken.begin();
  if (type.kind == TypeKind::declared)
    return literal(as<Enum>(*type.declaration).enumerators[static_cast<std::size_t>(n)], type);
  if (type.kind == TypeKind::boolean) return n == 0 ? "false" : "true";
  if (type.kind == TypeKind::char_) return literal(static_cast<char>(n), type);
  if (type.kind == TypeKind::wchar)
    return literal(WideText{std::u32string(1, static_cast<char32_t>(n))}, type);
  return literal(n, type);
}

// A discriminator that selects this case: its first label, or for `default` a value that is not a label.
std::string label_of(const Union& decl, const UnionCase& one) {
  return one.labels.empty() ? unnamed_value(decl) : literal(one.labels[0], *decl.discriminator);
}

std::string case_labels(const Union& decl, const UnionCase& one) {
  std::string out;
  for (const Value& label : one.labels) out += "case " + literal(label, *decl.discriminator) + ":\n";
  if (one.is_default) out += "default:\n";
  return out;
}

std::string accessors(const Union& decl, std::size_t index) {
  const UnionCase& one = decl.cases[index];
  std::string place = std::to_string(index + 1);
  bool several = one.is_default || one.labels.size() > 1;
  bool scalar = is_scalar(*one.field.type);
  std::string pattern = R"($in$ $name$() const { return ::orbweaver::union_member<$place$>(_value_); }
$type$& $name$() { return ::orbweaver::union_member<$place$>(_value_); }
)";
  if (several) {
    pattern += R"(void $name$($type$ _value, $switch$ _discriminator = $label$) {
  if (_index_of(_discriminator) != $place$) ::orbweaver::throw_wrong_union_member();
  _value_.emplace<$place$>($moved$);
  _d_ = _discriminator;
}

)";
  } else {
    pattern += R"(void $name$($type$ _value) {
  _value_.emplace<$place$>($moved$);
  _d_ = $label$;
}

)";
  }
  return fill(pattern,
              {{"in", scalar ? type_name(*one.field.type) : "const " + type_name(*one.field.type) + "&"},
               {"type", type_name(*one.field.type)},
               {"name", identifier(one.field.name)},
               {"place", place},
               {"switch", type_name(*decl.discriminator)},
               {"label", label_of(decl, one)},
               {"moved", scalar ? "_value" : "std::move(_value)"}});
}

std::string index_function(const Union& decl) {
  std::string cases;
  for (std::size_t i = 0; i < decl.cases.size(); ++i) {
    cases += case_labels(decl, decl.cases[i]) + "  return " + std::to_string(i + 1) + ";\n";
  }
  if (decl.has_implicit_default) cases += "default:\n  return 0;\n";
  return cases;
}

// Whether a C++ compiler considers the generated switch incomplete, as an enum may have any value.
bool needs_return(const Union& decl) {
  if (decl.has_implicit_default) return false;
  for (const UnionCase& each : decl.cases) {
    if (each.is_default) return false;
  }
  return true;
}

}  // namespace

std::string switch_operand(const Union& decl, const std::string& value) {
  bool boolean = resolved(*decl.discriminator).kind == TypeKind::boolean;
  return boolean ? "static_cast<int>(" + value + ")" : value;
}

namespace {

constexpr std::string_view kUnionClass = R"(class $name$ {
 public:
$types$
  $name$() = default;

  $switch$ _d() const { return _d_; }
  /// Sets another discriminator of the active member; raises BAD_PARAM if it selects another member.
  void _d($switch$ _value) {
    if (_index_of(_value) != _value_.index()) ::orbweaver::throw_wrong_union_member();
    _d_ = _value;
  }

$members$
$implicit$
  void swap($name$& other) noexcept {
    std::swap(_d_, other._d_);
    std::swap(_value_, other._value_);
  }

  /// For generated code: activates the default-constructed member that this discriminator selects.
  void _select($switch$ _discriminator);

 private:
  static constexpr std::size_t _index_of($switch$ _discriminator) {
    switch ($on$) {
$cases$
    }
$return$
  }

  $switch$ _d_ = $start$;
$storage$
};

)";

}  // namespace

std::string union_(const Union& decl, const std::string& types) {
  std::string name = identifier(decl);
  std::vector<std::string> alternatives{"std::monostate"};
  std::string members;
  for (std::size_t i = 0; i < decl.cases.size(); ++i) {
    alternatives.push_back(type_name(*decl.cases[i].field.type));
    members += accessors(decl, i);
  }
  const UnionCase* first = &decl.cases[0];
  std::string start = decl.has_implicit_default ? unnamed_value(decl) : label_of(decl, *first);
  std::string implicit = decl.has_implicit_default ? R"(/// Makes the union have no active member.
void _default() {
  _value_.emplace<0>();
  _d_ = )" + unnamed_value(decl) + ";\n}\n\n"
                                                   : "";
  return fill(kUnionClass,
              {{"name", name},
               {"types", indented(types, 2)},
               {"switch", type_name(*decl.discriminator)},
               {"members", indented(members, 2) + "\n"},
               {"implicit", implicit.empty() ? "" : indented(implicit, 2) + "\n"},
               {"on", switch_operand(decl, "_discriminator")},
               {"cases", indented(index_function(decl), 6)},
               {"return", needs_return(decl) ? "    return 0;\n" : ""},
               {"start", start},
               {"storage",
                list("  std::variant<", alternatives,
                     decl.has_implicit_default ? "> _value_;\n" : "> _value_{std::in_place_index<1>};\n")}});
}

std::string union_codec(const Union& decl) {
  Type type;
  type.kind = TypeKind::declared;
  type.declaration = &decl;
  return fill(R"(template <>
struct Codec<$type$> {
  static constexpr std::size_t kMinBytes = $min_bytes$, kMaxBytes = 0, kAlign = 4;
  static constexpr bool kPlain = false;
$scope$
  static std::size_t bound(const $type$& value);
  static void encode(Encoder& out, const $type$& value);
  static void decode(Decoder& in, $type$& value);
};

)",
              {{"type", qualified(decl)},
               {"scope", value_scope(decl)},
               {"min_bytes", std::to_string(layout_of(type).min_bytes)}});
}

std::string union_codec_body(const Union& decl) {
  std::string bounds, encodes, decodes;
  for (std::size_t i = 0; i < decl.cases.size(); ++i) {
    std::string labels = case_labels(decl, decl.cases[i]);
    std::string name = "value." + identifier(decl.cases[i].field.name) + "()";
    bounds += labels + "  return bound_of(value._d()) + bound_of(" + name + ");\n";
    encodes += labels + "  cdr::encode(out, " + name + ");\n  break;\n";
    decodes += labels + "  cdr::decode(in, " + name + ");\n  break;\n";
  }
  if (decl.has_implicit_default) {
    bounds += "default:\n  return bound_of(value._d());\n";
    encodes += "default:\n  break;\n";
    decodes += "default:\n  break;\n";
  }
  return fill(R"(std::size_t Codec<$type$>::bound(const $type$& value) {
  switch ($on$) {
$bounds$
  }
$return$
}

void Codec<$type$>::encode(Encoder& out, const $type$& value) {
  cdr::encode(out, value._d());
  switch ($on$) {
$encodes$
  }
}

void Codec<$type$>::decode(Decoder& in, $type$& value) {
  if (!in.enter()) return;
  $switch$ discriminator{};
  cdr::decode(in, discriminator);
  if (in.ok()) {
    value._select(discriminator);
    switch ($on_read$) {
$decodes$
    }
  }
  in.leave();
}

)",
              {{"type", qualified(decl)},
               {"switch", type_name(*decl.discriminator)},
               {"on", switch_operand(decl, "value._d()")},
               {"on_read", switch_operand(decl, "discriminator")},
               {"bounds", indented(bounds, 4)},
               {"return", needs_return(decl) ? "  return bound_of(value._d());\n" : ""},
               {"encodes", indented(encodes, 4)},
               {"decodes", indented(decodes, 6)}});
}

std::string union_select(const Union& decl) {
  std::string selects;
  for (std::size_t i = 0; i < decl.cases.size(); ++i) {
    selects +=
        case_labels(decl, decl.cases[i]) + "  _value_.emplace<" + std::to_string(i + 1) + ">();\n  break;\n";
  }
  if (decl.has_implicit_default) selects += "default:\n  _value_.emplace<0>();\n  break;\n";
  return fill(R"(void $name$::_select($switch$ _discriminator) {
  switch ($on$) {
$selects$
  }
  _d_ = _discriminator;
}

)",
              {{"name", name_in_namespace(decl)},
               {"switch", type_name(*decl.discriminator)},
               {"on", switch_operand(decl, "_discriminator")},
               {"selects", indented(selects, 4)}});
}

}  // namespace orbweaver::idl::cpp
