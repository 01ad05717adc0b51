#include <unordered_set>

#include "idlc/cpp/constructs.h"
#include "idlc/cpp/member_tables.h"
#include "idlc/cpp/names.h"
#include "idlc/cpp/text.h"
#include "idlc/ir/holds_values.h"

namespace orbweaver::idl::cpp {

using namespace ir;

namespace {

bool moved(const Type& type) { return !is_scalar(type); }

// The C++ name of a member. In an exception `what` is reserved by std::exception.
std::string member_name(const Field& field, bool in_exception) {
  return in_exception && field.name == "what" ? "_cxx_what" : identifier(field.name);
}

std::string accessors(const Field& field, const std::string& name, const std::string& stored) {
  std::string pattern = is_scalar(*field.type) ? R"($type$ $name$() const { return $stored$; }
$type$& $name$() { return $stored$; }
void $name$($type$ _value) { $stored$ = _value; }

)"
                                               : R"(const $type$& $name$() const { return $stored$; }
$type$& $name$() { return $stored$; }
void $name$(const $type$& _value) { $stored$ = _value; }
void $name$($type$&& _value) { $stored$ = std::move(_value); }

)";
  return fill(pattern, {{"type", type_name(*field.type)}, {"name", name}, {"stored", stored}});
}

using Names = std::unordered_set<std::string_view>;

void add_underscored(const std::vector<Field>& fields, Names& names) {
  for (const Field& each : fields) {
    if (each.name.ends_with('_')) names.insert(each.name);
  }
}

// The name of the variable that stores a member: `a_` for `a`, or `_a_` if the struct has a member `a_`,
// whose accessors have that name.
std::string storage_name(const std::string& name, const Names& underscored) {
  return underscored.contains(name + "_") ? "_" + name + "_" : name + "_";
}

// The constructors, accessors and swap of structs and exceptions.
struct Members {
  Members(const std::string& class_name, const std::vector<Field>& fields, const Struct* base,
          bool in_exception, const Names& underscored) {
    std::vector<std::string> parameters, initialisers;
    if (base) {
      parameters.push_back(qualified(*base) + " _base");
      initialisers.push_back(qualified(*base) + "(std::move(_base))");
      swaps += qualified(*base) + "::swap(other);\n";
    }
    for (const Field& field : fields) {
      std::string name = member_name(field, in_exception);
      parameters.push_back(type_name(*field.type) + " " + name);
      const std::string stored = storage_name(name, underscored);
      initialisers.push_back(stored + "(" + (moved(*field.type) ? "std::move(" + name + ")" : name) + ")");
      this->accessors += cpp::accessors(field, name, stored);
      swaps += "std::swap(" + stored + ", other." + stored + ");\n";
      storage += type_name(*field.type) + " " + stored + initialiser(*field.type) + ";\n";
    }
    if (parameters.empty()) return;
    std::string head = (parameters.size() == 1 ? "explicit " : "") + class_name + "(";
    constructor = list(head, parameters, ")", 2);
    std::string tail = list(" : ", initialisers, " {}", 6);
    bool fits = constructor.find('\n') == std::string::npos && tail.find('\n') == std::string::npos &&
                constructor.size() + tail.size() + 2 <= 110;
    constructor += fits ? tail + "\n" : "\n    : " + join(initialisers, ",\n      ") + " {}\n";
  }
  std::string constructor, accessors, swaps, storage;
};

std::string comment_of(const Declaration& decl) {
  // Only documentation comments are copied to the generated code.
  bool documents = decl.comment.starts_with("///") || decl.comment.starts_with("/**");
  if (!documents) return {};
  std::string out;
  std::string_view rest = decl.comment;
  while (!rest.empty()) {
    std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    out += (line.starts_with("*") ? " " : "") + std::string(line) + "\n";
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return out;
}

}  // namespace

std::string constant(const Constant& decl, bool in_class) {
  TypeKind kind = resolved(*decl.type).kind;
  bool text = kind == TypeKind::string || kind == TypeKind::wstring;
  bool braces = text || kind == TypeKind::fixed;
  std::string how = std::string(in_class ? "static " : "") + (text       ? "inline const "
                                                              : in_class ? "constexpr "
                                                                         : "inline constexpr ");
  std::string value = literal(decl.value, *decl.type);
  return comment_of(decl) +
         fill("$how$$type$ $name$$open$$value$$close$;\n", {{"how", how},
                                                            {"type", type_name(decl)},
                                                            {"name", identifier(decl)},
                                                            {"open", braces ? "{" : " = "},
                                                            {"value", value},
                                                            {"close", braces ? "}" : ""}}) +
         "\n";
}

std::string enumeration(const Enum& decl) {
  std::vector<std::string> names;
  for (const Enumerator* each : decl.enumerators) names.push_back(identifier(each->name));
  return comment_of(decl) +
         list("enum class " + identifier(decl) + " : std::uint32_t { ", names, " };\n", 0) + "\n";
}

std::string alias(const Typedef& decl) {
  return comment_of(decl) + fill("using $name$ = $type$;\n\n",
                                 {{"name", identifier(decl)},
                                  {"type", decl.view ? view_name(*decl.type) : type_name(*decl.type)}});
}

// The user defines the class; or, with --cpp-include, any type of that name.
std::string native(const Native& decl) { return comment_of(decl) + "class " + identifier(decl) + ";\n\n"; }

std::string structure(const Struct& decl, const std::string& types) {
  std::string name = identifier(decl);
  Names underscored;
  if (decl.trailing_underscore) {
    for (const Struct* each : base_chain(decl)) add_underscored(each->fields, underscored);
  }
  Members members(name, decl.fields, decl.base, false, underscored);
  return comment_of(decl) + fill(R"(class $name$$base$ {
 public:
$types$
  $name$() = default;
$constructor$
$accessors$
  void swap($name$&$other$) noexcept {
$swaps$
  }
$private$
$storage$
};

)",
                                 {{"name", name},
                                  {"base", decl.base ? " : public " + qualified(*decl.base) : ""},
                                  {"types", indented(types, 2)},
                                  {"constructor", indented(members.constructor, 2) + "\n"},
                                  {"accessors", indented(members.accessors, 2)},
                                  {"other", members.swaps.empty() ? "" : " other"},
                                  {"swaps", indented(members.swaps, 4)},
                                  {"private", members.storage.empty() ? "" : "\n private:"},
                                  {"storage", indented(members.storage, 2)}});
}

std::string exception(const Exception& decl, const std::string& types) {
  std::string name = identifier(decl);
  Names underscored;
  add_underscored(decl.fields, underscored);
  Members members(name, decl.fields, nullptr, true, underscored);
  return comment_of(decl) + fill(R"(class $name$ final : public ::CORBA::UserException {
 public:
$types$
  $name$() = default;
$constructor$
$accessors$
  const char* _name() const noexcept override { return $text$; }
  const char* _rep_id() const noexcept override { return $id$; }
  [[noreturn]] void _raise() const override { throw *this; }
  std::size_t _bound() const override;
  void _encode(::orbweaver::cdr::Encoder& _out) const override;
  /// For stubs: decodes the members and throws the exception; returns only if decoding fails.
  static void _decode_and_raise(::orbweaver::cdr::Decoder& _in);
$private$
$storage$
};

)",
                                 {{"name", name},
                                  {"types", indented(types, 2)},
                                  {"constructor", indented(members.constructor, 2) + "\n"},
                                  {"accessors", indented(members.accessors, 2)},
                                  {"text", string_literal(scoped_name(&decl).substr(2))},
                                  {"id", string_literal(decl.repository_id())},
                                  {"private", members.storage.empty() ? "" : "\n private:"},
                                  {"storage", indented(members.storage, 2)}});
}

namespace {
std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}
}  // namespace

std::string exception_body(const Exception& decl) {
  std::vector<std::string> bounds;
  std::string encodes, decodes;
  Names underscored;
  add_underscored(decl.fields, underscored);
  for (const Field& field : decl.fields) {
    const std::string name = storage_name(member_name(field, true), underscored);
    bounds.push_back("::orbweaver::cdr::bound_of(" + name + ")");
    encodes += "::orbweaver::cdr::encode(_out, " + name + ");\n";
    decodes += "::orbweaver::cdr::decode(_in, _raised." + name + ");\n";
  }
  bool empty = decl.fields.empty();
  if (holds_values(decl)) {
    encodes = "::orbweaver::cdr::encode_apart(_out, [this](::orbweaver::cdr::Encoder& _apart) {\n" +
              indented(replaced(encodes, "encode(_out, ", "encode(_apart, "), 2) + "});\n";
    decodes = "const ::orbweaver::cdr::ValueReadScope _scope(_in);\n" + decodes;
  }
  return fill(R"(std::size_t $name$::_bound() const {
  return $bound$;
}

void $name$::_encode(::orbweaver::cdr::Encoder&$out$) const {
$encodes$
}

void $name$::_decode_and_raise(::orbweaver::cdr::Decoder& _in) {
  $name$ _raised;
$decodes$
  if (_in.ok()) throw _raised;
}

)",
              {{"name", name_in_namespace(decl)},
               {"bound", empty ? "0" : join(bounds, " +\n         ")},
               {"out", empty ? "" : " _out"},
               {"encodes", indented(encodes, 2)},
               {"decodes", indented(decodes, 2)}});
}

}  // namespace orbweaver::idl::cpp
