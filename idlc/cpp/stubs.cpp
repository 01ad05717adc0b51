#include "idlc/cpp/constructs.h"
#include "idlc/cpp/marshal.h"
#include "idlc/cpp/names.h"
#include "idlc/cpp/text.h"

namespace orbweaver::idl::cpp {

using namespace ir;

std::string interface_ahead(const Interface& made) { return "class " + identifier(made) + ";\n"; }

std::string interface_traits(const Interface& made) {
  return fill(R"(template <>
struct traits<$type$> : ::orbweaver::$kind$_traits<$type$> {};
)",
              {{"type", qualified(made)}, {"kind", made.local ? "local_interface" : "interface"}});
}

namespace {

std::string bases_of(const Interface& made) {
  std::vector<std::string> bases;
  for (const Interface* base : made.bases) bases.push_back("public virtual " + qualified(*base));
  if (bases.empty())
    bases.push_back(made.local ? "public virtual ::CORBA::LocalObject" : "public virtual ::CORBA::Object");
  return list("class " + identifier(made) + " : ", bases, " {\n");
}

std::string local_interface(const Interface& made, const std::string& types) {
  std::string operations;
  for (const Call& call : calls_of(made))
    operations += signature(call, "virtual " + type_name(*call.result) + " ", " = 0;\n", 2);
  return bases_of(made) +
         fill(R"( public:
  using _ref_type = ::IDL::traits<$name$>::ref_type;
$types$
$operations$
  static const char* _interface_id() noexcept { return $id$; }

 protected:
  $name$() = default;
  ~$name$() override = default;
};

)",
              {{"name", identifier(made)},
               {"id", quoted(made.repository_id())},
               {"types", types.empty() ? "" : "\n" + indented(types, 2)},
               {"operations",
                operations.empty() ? "" : (types.empty() ? "\n" : "") + indented(operations, 2) + "\n"}});
}

}  // namespace

std::string stub(const Interface& made, const std::string& types) {
  if (made.local) return local_interface(made, types);
  std::string operations;
  for (const Call& call : calls_of(made))
    operations += signature(call, "virtual " + type_name(*call.result) + " ", ";\n", 2);
  return bases_of(made) +
         fill(R"( public:
  using _ref_type = ::IDL::traits<$name$>::ref_type;
$types$
$operations$
  static const char* _interface_id() noexcept { return $id$; }
  static const ::orbweaver::Interface& _static_interface() noexcept;
  /// A reference to the same object as `reference`, whose type is not asked for.
  static $name$* _make(::orbweaver::Reference* reference) { return new $name$(reference); }
  bool _is_a(const std::string& repository_id) override;

 protected:
  $name$() = default;
  explicit $name$(::orbweaver::Reference* reference) : ::CORBA::Object(reference) {}
  ~$name$() override = default;
};

)",
              {{"name", identifier(made)},
               {"id", quoted(made.repository_id())},
               {"types", types.empty() ? "" : "\n" + indented(types, 2)},
               {"operations",
                operations.empty() ? "" : (types.empty() ? "\n" : "") + indented(operations, 2) + "\n"}});
}

namespace {

std::string arguments(const Call& call) {
  std::vector<std::string> names;
  for (const Parameter& each : call.parameters) names.push_back(identifier(each.name));
  return join(names, ", ");
}

std::string lambda(std::string_view parameter, const std::string& lines, std::string_view name) {
  if (lines.empty()) return "[&](::orbweaver::cdr::" + std::string(parameter) + "&) {}";
  bool one = lines.find('\n') + 1 == lines.size() && lines.size() < 60;
  std::string head = "[&](::orbweaver::cdr::" + std::string(parameter) + "& " + std::string(name) + ") {";
  return one ? head + " " + lines.substr(0, lines.size() - 1) + " }"
             : head + "\n" + indented(lines, 6) + "    }";
}

std::string call_body(const Interface& made, const Call& call) {
  std::vector<std::string> bounds;
  std::string encodes, decodes;
  bool result = call.result->kind != TypeKind::void_;
  if (result) decodes += "::orbweaver::cdr::decode(_in, _result);\n";
  for (const Parameter& each : call.parameters) {
    std::string name = identifier(each.name);
    if (travels_in(each)) {
      bounds.push_back(name);
      encodes += encode_line(each, name);
    }
    if (travels_out(each)) decodes += decode_line(each, name);
  }
  std::string operation = "::" + operations_namespace(made) + "::" + call.label;
  // A one-way stays one-way wherever its target is: it always takes a road.
  if (call.oneway) {
    return fill(R"(  ::orbweaver::oneway(
      *this, $operation$, $bound$,
      $encode$);
)",
                {{"operation", operation},
                 {"bound", bound_sum(bounds, 6)},
                 {"encode", lambda("Encoder", encodes, "_out")}});
  }
  return fill(
      R"(  if (::orbweaver::LocalCall _local(*this, $interface$::_static_interface()); _local.servant() != nullptr) {
    try {
      $return$static_cast<$skeleton$*>(_local.servant())->$name$($arguments$);
$leave$
    } catch (...) {
      ::orbweaver::rethrow_as_corba($operation$);
    }
  }
$result$
  ::orbweaver::twoway(
      *this, $operation$,
      $bound$,
      $encode$,
      $decode$);
$return_result$
)",
      {{"interface", qualified(made)},
       {"return", result ? "return " : ""},
       {"skeleton", skeleton(made)},
       {"name", call.cpp_name},
       {"arguments", arguments(call)},
       {"leave", result ? "" : "      return;\n"},
       {"operation", operation},
       {"result", result ? "  " + type_name(*call.result) + " _result{};\n" : ""},
       {"bound", bound_sum(bounds, 6)},
       {"encode", lambda("Encoder", encodes, "_out")},
       {"decode", lambda("Decoder", decodes, "_in")},
       {"return_result", result ? "  return _result;\n" : ""}});
}

}  // namespace

std::string stub_body(const Interface& made) {
  if (made.local) return {};
  std::string name = identifier(made);
  std::vector<std::string> ids;
  for (const Interface* each : ancestry(made)) ids.push_back(quoted(each->repository_id()));
  std::string out = fill(R"(const ::orbweaver::Interface& $name$::_static_interface() noexcept {
$ids$
  static constexpr ::orbweaver::Interface kInterface{$id$, kAncestors, $count$};
  return kInterface;
}

bool $name$::_is_a(const std::string& repository_id) {
  // Known without asking: what this type inherits. Anything else the object itself knows.
  return ::orbweaver::is_ancestor(_static_interface(), repository_id) || ::CORBA::Object::_is_a(repository_id);
}

)",
                         {{"name", name},
                          {"ids", list("  static constexpr const char* kAncestors[] = {", ids, "};\n")},
                          {"id", quoted(made.repository_id())},
                          {"count", std::to_string(ids.size())}});
  for (const Call& call : calls_of(made)) {
    out += signature(call, type_name(*call.result) + " " + name + "::", " {\n", 0) + call_body(made, call) +
           "}\n\n";
  }
  return out;
}

}  // namespace orbweaver::idl::cpp
