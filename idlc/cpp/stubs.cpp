#include "idlc/cpp/constructs.h"
#include "idlc/cpp/marshal.h"
#include "idlc/cpp/names.h"
#include "idlc/cpp/text.h"

namespace orbweaver::idl::cpp {

using namespace ir;

std::string forward_declaration(const Interface& decl) { return "class " + identifier(decl) + ";\n"; }

std::string interface_traits(const Interface& decl) {
  return fill(R"(template <>
struct traits<$type$> : ::orbweaver::$kind$_traits<$type$> {};
)",
              {{"type", qualified(decl)}, {"kind", decl.local ? "local_interface" : "interface"}});
}

namespace {

std::string bases_of(const Interface& decl) {
  std::vector<std::string> bases;
  for (const Interface* base : decl.bases) bases.push_back("public virtual " + qualified(*base));
  if (bases.empty())
    bases.push_back(decl.local ? "public virtual ::CORBA::LocalObject" : "public virtual ::CORBA::Object");
  return list("class " + identifier(decl) + " : ", bases, " {\n");
}

std::string local_interface(const Interface& decl, const std::string& types) {
  std::string operations;
  for (const Call& call : calls_of(decl))
    operations += signature(call, "virtual " + type_name(*call.result) + " ", " = 0;\n", 2);
  return bases_of(decl) +
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
              {{"name", identifier(decl)},
               {"id", quoted(decl.repository_id())},
               {"types", types.empty() ? "" : "\n" + indented(types, 2)},
               {"operations",
                operations.empty() ? "" : (types.empty() ? "\n" : "") + indented(operations, 2) + "\n"}});
}

}  // namespace

std::string stub(const Interface& decl, const std::string& types) {
  if (decl.local) return local_interface(decl, types);
  std::string operations;
  for (const Call& call : calls_of(decl))
    operations += signature(call, "virtual " + type_name(*call.result) + " ", ";\n", 2);
  return bases_of(decl) +
         fill(R"( public:
  using _ref_type = ::IDL::traits<$name$>::ref_type;
$types$
$operations$
  static const char* _interface_id() noexcept { return $id$; }
  static const ::orbweaver::Interface& _static_interface() noexcept;
  /// Makes a reference to the same object as `reference` without checking the object's type.
  static $name$* _make(::orbweaver::Reference* reference) { return new $name$(reference); }
  bool _is_a(const std::string& repository_id) override;

 protected:
  $name$() = default;
  explicit $name$(::orbweaver::Reference* reference) : ::CORBA::Object(reference) {}
  ~$name$() override = default;
};

)",
              {{"name", identifier(decl)},
               {"id", quoted(decl.repository_id())},
               {"types", types.empty() ? "" : "\n" + indented(types, 2)},
               {"operations",
                operations.empty() ? "" : (types.empty() ? "\n" : "") + indented(operations, 2) + "\n"}});
}

namespace {

std::string arguments(const Call& call) {
  std::vector<std::string> names;
  for (const Parameter& each : call.parameters) names.push_back(identifier(each.name));
  if (!call.contexts.empty()) names.push_back("::orbweaver::context_of(_values)");
  return join(names, ", ");
}

std::string lambda(std::string_view parameter, const std::string& lines, std::string_view name) {
  if (lines.empty())
    return std::string("::orbweaver::") + (parameter == "Encoder" ? "NoArguments" : "NoResults") + "{}";
  bool one = lines.find('\n') + 1 == lines.size() && lines.size() < 60;
  std::string head = "[&](::orbweaver::cdr::" + std::string(parameter) + "& " + std::string(name) + ") {";
  return one ? head + " " + lines.substr(0, lines.size() - 1) + " }"
             : head + "\n" + indented(lines, 6) + "    }";
}

std::string call_body(const Interface& decl, const Call& call) {
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
  const bool native = has_native_type(call);
  std::string operation = "::" + operations_namespace(decl) + "::" + call.label;
  std::string context;
  if (!call.contexts.empty()) {
    std::vector<std::string> patterns;
    for (const std::string& each : call.contexts) patterns.push_back(quoted(each));
    context = list("  const std::vector<std::string> _values = ::orbweaver::context_values(_context, {",
                   patterns, "});\n");
    bounds.push_back("_values");
    encodes += "::orbweaver::cdr::encode(_out, _values);\n";
  }
  // A oneway call is sent through a transport even to a collocated target, so that it never waits for the
  // servant.
  if (call.oneway && native) {
    std::string unused;
    for (const Parameter& each : call.parameters)
      unused += "static_cast<void>(" + identifier(each.name) + ");\n";
    if (!call.contexts.empty()) unused += "static_cast<void>(_context);\n";
    return indented(unused + raise_native_type(decl, call), 2);
  }
  if (call.oneway) {
    return context + fill(R"(  ::orbweaver::oneway(
      *this, $operation$, $bound$,
      $encode$);
)",
                          {{"operation", operation},
                           {"bound", bound_sum(bounds, 6)},
                           {"encode", lambda("Encoder", encodes, "_out")}});
  }
  const std::string remote =
      native ? indented(raise_native_type(decl, call), 2)
             : fill(R"($result$
  ::orbweaver::twoway(
      *this, $operation$,
      $bound$,
      $encode$,
      $decode$);
$return_result$
)",
                    {{"operation", operation},
                     {"result", result ? "  " + type_name(*call.result) + " _result{};\n" : ""},
                     {"bound", bound_sum(bounds, 6)},
                     {"encode", lambda("Encoder", encodes, "_out")},
                     {"decode", lambda("Decoder", decodes, "_in")},
                     {"return_result", result ? "  return _result;\n" : ""}});
  const std::string call_and_leave = fill(
      R"(  for (::orbweaver::CollocatedCall _local(*this, $static_interface$); _local.servant() != nullptr;
       _local.follow_forward(*this, $static_interface$)) {
    try {
      $return$static_cast<$skeleton$*>(_local.servant())->$name$($arguments$);
$leave$
    } catch (...) {
      ::orbweaver::rethrow_as_corba(*this, $operation$);
    }
  }
$remote$
)",
      {{"static_interface", qualified(decl) + "::_static_interface()"},
       {"return", result ? "return " : ""},
       {"skeleton", skeleton(decl)},
       {"name", call.cpp_name},
       {"arguments", arguments(call)},
       {"leave", result ? "" : "      return;\n"},
       {"operation", operation},
       {"remote", remote}});
  return context + call_and_leave;
}

}  // namespace

std::string stub_body(const Interface& decl) {
  if (decl.local) return {};
  std::string name = identifier(decl);
  std::vector<std::string> ids;
  for (const Interface* each : ancestry(decl)) ids.push_back(quoted(each->repository_id()));
  std::string out = fill(R"(const ::orbweaver::Interface& $name$::_static_interface() noexcept {
$ids$
  static constexpr ::orbweaver::Interface kInterface{$id$, kAncestors, $count$};
  return kInterface;
}

bool $name$::_is_a(const std::string& repository_id) {
  // Checks this type and its bases locally; any other type with the object's own _is_a.
  return ::orbweaver::is_ancestor(_static_interface(), repository_id) || )"
                         R"(::CORBA::Object::_is_a(repository_id);
}

)",
                         {{"name", name},
                          {"ids", list("  static constexpr const char* kAncestors[] = {", ids, "};\n")},
                          {"id", quoted(decl.repository_id())},
                          {"count", std::to_string(ids.size())}});
  for (const Call& call : calls_of(decl)) {
    out += signature(call, type_name(*call.result) + " " + name + "::", " {\n", 0) + call_body(decl, call) +
           "}\n\n";
  }
  return out;
}

}  // namespace orbweaver::idl::cpp
