#include "idlc/cpp/constructs.h"
#include "idlc/cpp/marshal.h"
#include "idlc/cpp/names.h"
#include "idlc/cpp/text.h"
#include "idlc/ir/holds_values.h"

namespace orbweaver::idl::cpp {

using namespace ir;

std::string forward_declaration(const Interface& decl) { return "class " + identifier(decl) + ";\n"; }

std::string interface_traits(const Interface& decl) {
  return fill(R"(template <>
struct traits<$type$> : ::orbweaver::$kind$_traits<$type$> {};
)",
              {{"type", qualified(decl)},
               {"kind", decl.local       ? "local_interface"
                        : decl.abstract_ ? "abstract_interface"
                                         : "interface"}});
}

namespace {

// The class of references to objects that has a given abstract interface.
std::string stub_class(const Interface& decl) { return qualified(decl) + "::_Stub"; }

std::string bases_of(const Interface& decl) {
  std::vector<std::string> bases;
  bool has_object = false;
  for (const Interface* base : decl.bases) {
    has_object = has_object || !base->abstract_;
    bases.push_back("public virtual " +
                    (base->abstract_ && !decl.local ? stub_class(*base) : qualified(*base)));
  }
  // A local object implements the operations of abstract bases itself.
  if (bases.empty() || (decl.local && !has_object))
    bases.push_back(decl.local ? "public virtual ::CORBA::LocalObject" : "public virtual ::CORBA::Object");
  return list("class " + identifier(decl) + " : ", bases, " {\n");
}

std::string declared_operations(const Interface& decl, std::string_view tail) {
  std::string out;
  for (const Call& call : calls_of(decl))
    out += signature(call, "virtual " + type_name(*call.result) + " ", tail, 2);
  return out;
}

// An abstract interface, which objects and values implement, and the class of references to objects.
std::string abstract_interface(const Interface& decl, const std::string& types) {
  std::vector<std::string> bases, stubs{"public virtual " + qualified(decl)};
  for (const Interface* base : decl.bases) {
    bases.push_back("public virtual " + qualified(*base));
    stubs.push_back("public virtual " + stub_class(*base));
  }
  if (bases.empty()) {
    bases.push_back("public virtual ::CORBA::AbstractBase");
    stubs.push_back("public virtual ::CORBA::Object");
  }
  std::string overrides;
  for (const Call& call : calls_of(decl))
    overrides += signature(call, type_name(*call.result) + " ", " override;\n", 2);
  const std::string operations = declared_operations(decl, " = 0;\n");
  return list("class " + identifier(decl) + " : ", bases, " {\n") +
         fill(R"( public:
  using _ref_type = ::IDL::traits<$type$>::ref_type;
  class _Stub;
$types$
$operations$
  static const char* _interface_id() noexcept { return $id$; }
  static const ::orbweaver::Interface& _static_interface() noexcept;
  /// Makes a reference to the same object as `reference` without checking the object's type.
  static $name$* _make(::orbweaver::Reference* reference);

 protected:
  $name$() = default;
  ~$name$() override = default;
};

/// A reference to an object that has the interface $name$.
)",
              {{"name", identifier(decl)},
               {"type", qualified(decl)},
               {"id", string_literal(decl.repository_id())},
               {"types", types.empty() ? "" : "\n" + indented(types, 2)},
               {"operations", operations.empty() ? "" : "\n" + indented(operations, 2) + "\n"}}) +
         list("class " + identifier(decl) + "::_Stub : ", stubs, " {\n") +
         fill(R"( public:
  explicit _Stub(::orbweaver::Reference* reference) : ::CORBA::Object(reference) {}
$operations$
  static const char* _interface_id() noexcept { return $type$::_interface_id(); }
  bool _is_a(const std::string& repository_id) override;

 protected:
  _Stub() = default;
  ~_Stub() override = default;
};

)",
              {{"type", qualified(decl)}, {"operations", indented(overrides, 2)}});
}

std::string local_interface(const Interface& decl, const std::string& types) {
  const std::string operations = declared_operations(decl, " = 0;\n");
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
               {"id", string_literal(decl.repository_id())},
               {"types", types.empty() ? "" : "\n" + indented(types, 2)},
               {"operations",
                operations.empty() ? "" : (types.empty() ? "\n" : "") + indented(operations, 2) + "\n"}});
}

}  // namespace

std::string stub(const Interface& decl, const std::string& types, const std::string& more_functions) {
  if (decl.local) return local_interface(decl, types);
  if (decl.abstract_) return abstract_interface(decl, types);
  const std::string operations = declared_operations(decl, ";\n") + more_functions;
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
               {"id", string_literal(decl.repository_id())},
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

// Arguments that contain values are encoded before the message.
std::string encoded_values(const Call& call, const std::string& encodes) {
  if (!sends_values(call)) return {};
  return "  const auto _write = [&](::orbweaver::cdr::Encoder& _out) {\n" + indented(encodes, 4) +
         "  };\n  const ::orbweaver::cdr::EncodedValues _arguments(_write);\n";
}

std::string bound_of_arguments(const Call& call, const std::vector<std::string>& bounds) {
  return sends_values(call) ? "_arguments.bound()" : bound_sum(bounds, 6);
}

std::string encoding_lambda(const Call& call, const std::string& encodes) {
  return lambda("Encoder", sends_values(call) ? "_arguments.write(_out);\n" : encodes, "_out");
}

// The call of a collocated servant. What contains values is copied in both directions, as over a transport
// (CORBA 3.3 part 1, 9.3.2), in one copy, so that values stay shared.
std::string collocated_call(const Interface& decl, const Call& call) {
  const bool result = call.result->kind != TypeKind::void_;
  const std::string servant = "static_cast<" + skeleton(decl) + "*>(_local.servant())->" + call.cpp_name;
  if (has_native_type(call) || (!sends_values(call) && !returns_values(call)))
    return (result ? "return " : "") + servant + "(" + arguments(call) + ");\n" + (result ? "" : "return;\n");
  std::vector<std::string> names;
  std::string declared, sent, received, returned, taken;
  if (result) {
    returned += "::orbweaver::cdr::encode(_out, _own);\n";
    taken += "::orbweaver::cdr::decode(_in, _result);\n";
  }
  for (const Parameter& each : call.parameters) {
    const std::string name = identifier(each.name);
    if (!holds_values(*each.type)) {
      names.push_back(name);
      continue;
    }
    const std::string copy = "_copy_" + each.name;
    names.push_back(copy);
    declared += type_name(*each.type) + " " + copy + "{};\n";
    if (travels_in(each)) {
      sent += encode_line(each, name);
      received += decode_line(each, copy);
    }
    if (travels_out(each)) {
      returned += encode_line(each, copy);
      taken += decode_line(each, name);
    }
  }
  if (!call.contexts.empty()) names.push_back("::orbweaver::context_of(_values)");
  const auto copy = [](const std::string& encodes, const std::string& decodes) {
    return encodes.empty()
               ? ""
               : "::orbweaver::cdr::copy_values(\n    [&](::orbweaver::cdr::Encoder& _out) {\n" +
                     indented(encodes, 6) + "    },\n    [&](::orbweaver::cdr::Decoder& _in) {\n" +
                     indented(decodes, 6) + "    });\n";
  };
  std::string out = declared + copy(sent, received);
  if (!returns_values(call))
    return out + (result ? "return " : "") + servant + "(" + join(names, ", ") + ");\n" +
           (result ? "" : "return;\n");
  out += (result ? "const " + type_name(*call.result) + " _own = " : "") + servant + "(" + join(names, ", ") +
         ");\n";
  if (result) out += type_name(*call.result) + " _result{};\n";
  return out + copy(returned, taken) + (result ? "return _result;\n" : "return;\n");
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
    for (const std::string& each : call.contexts) patterns.push_back(string_literal(each));
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
    return context + encoded_values(call, encodes) +
           fill(R"(  ::orbweaver::oneway(
      *this, $operation$, $bound$,
      $encode$);
)",
                {{"operation", operation},
                 {"bound", bound_of_arguments(call, bounds)},
                 {"encode", encoding_lambda(call, encodes)}});
  }
  if (returns_values(call)) decodes = "const ::orbweaver::cdr::ValueReadScope _scope(_in);\n" + decodes;
  const std::string remote =
      native ? indented(raise_native_type(decl, call), 2)
             : encoded_values(call, encodes) +
                   fill(R"($result$
  ::orbweaver::twoway(
      *this, $operation$,
      $bound$,
      $encode$,
      $decode$);
$return_result$
)",
                        {{"operation", operation},
                         {"result", result ? "  " + type_name(*call.result) + " _result{};\n" : ""},
                         {"bound", bound_of_arguments(call, bounds)},
                         {"encode", encoding_lambda(call, encodes)},
                         {"decode", lambda("Decoder", decodes, "_in")},
                         {"return_result", result ? "  return _result;\n" : ""}});
  const std::string call_and_leave = fill(
      R"(  for (::orbweaver::CollocatedCall _local(*this, $static_interface$); _local.servant() != nullptr;
       _local.follow_forward(*this, $static_interface$)) {
    try {
$call$
    } catch (...) {
      ::orbweaver::rethrow_as_corba(*this, $operation$);
    }
  }
$remote$
)",
      {{"static_interface", qualified(decl) + "::_static_interface()"},
       {"call", indented(collocated_call(decl, call), 6)},
       {"operation", operation},
       {"remote", remote}});
  return context + call_and_leave;
}

}  // namespace

std::string stub_body(const Interface& decl) {
  if (decl.local) return {};
  std::string name = identifier(decl);
  const std::string cls = decl.abstract_ ? name + "::_Stub" : name;
  std::vector<std::string> ids;
  for (const Interface* each : ancestry(decl)) ids.push_back(string_literal(each->repository_id()));
  std::string out = fill(R"(const ::orbweaver::Interface& $name$::_static_interface() noexcept {
$ids$
  static constexpr ::orbweaver::Interface kInterface{$id$, kAncestors, $count$};
  return kInterface;
}

$make$
bool $class$::_is_a(const std::string& repository_id) {
  // Checks this type and its bases locally; any other type with the object's own _is_a.
  return ::orbweaver::is_ancestor(_static_interface(), repository_id) || )"
                         R"(::CORBA::Object::_is_a(repository_id);
}

)",
                         {{"name", name},
                          {"class", cls},
                          {"make", decl.abstract_ ? name + "* " + name +
                                                        "::_make(::orbweaver::Reference* reference) { "
                                                        "return new _Stub(reference); }\n\n"
                                                  : ""},
                          {"ids", list("  static constexpr const char* kAncestors[] = {", ids, "};\n")},
                          {"id", string_literal(decl.repository_id())},
                          {"count", std::to_string(ids.size())}});
  for (const Call& call : calls_of(decl)) {
    out += signature(call, type_name(*call.result) + " " + cls + "::", " {\n", 0) + call_body(decl, call) +
           "}\n\n";
  }
  return out;
}

}  // namespace orbweaver::idl::cpp
