// Skeletons of servants that answer later (--amh).
#include "idlc/cpp/amh.h"

#include "idlc/cpp/constructs.h"
#include "idlc/cpp/marshal.h"
#include "idlc/cpp/names.h"
#include "idlc/cpp/text.h"

namespace orbweaver::idl::cpp {

using namespace ir;

bool has_amh(const Interface& decl) { return !decl.local && !decl.builtin; }

namespace {

std::string class_name(const Interface& decl) { return "AMH_" + decl.name; }

std::string qualified_class(const Interface& decl) {
  const std::string space = namespace_of(decl);
  return "::POA::" + (space.empty() ? "" : space + "::") + class_name(decl);
}

std::string response_type(const Call& call) {
  std::vector<std::string> types;
  if (call.result->kind != TypeKind::void_) types.push_back(type_name(*call.result));
  for (const Parameter& each : call.parameters) {
    if (travels_out(each)) types.push_back(type_name(*each.type));
  }
  return "::orbweaver::Response<" + join(types, ", ") + ">";
}

std::string function_name(const Call& call) {
  return call.label.starts_with("op_") ? call.cpp_name : call.label;
}

std::string function_head(const Call& call) {
  std::vector<std::string> parameters;
  if (!call.oneway) parameters.push_back(response_type(call) + " _response");
  for (const Parameter& each : call.parameters) {
    if (!travels_in(each)) continue;
    parameters.push_back((each.view ? parameter_type(each) : in_type(*each.type)) + " " +
                         identifier(each.name));
  }
  if (!call.contexts.empty()) parameters.emplace_back("::IDL::traits<::CORBA::Context>::ref_type _context");
  return list("virtual void " + function_name(call) + "(", parameters, ") = 0;\n", 2);
}

std::string serve_name(const Interface& decl, const Call& call) {
  return "::" + operations_namespace(decl) + "::amh_" + call.label;
}

}  // namespace

std::string amh_skeleton(const Interface& decl) {
  std::vector<std::string> bases;
  for (const Interface* base : decl.bases) bases.push_back("public virtual " + qualified_class(*base));
  if (bases.empty()) bases.emplace_back("public virtual ::PortableServer::Servant");
  std::string operations;
  for (const Call& call : calls_of(decl)) operations += function_head(call);
  return list("class " + class_name(decl) + " : ", bases, " {\n") +
         fill(R"( public:
  using _stub_type = $stub$;

$operations$
  ::IDL::traits<$stub$>::ref_type _this() { return ::IDL::traits<$stub$>::narrow(_this_object()); }
  bool _dispatch(::orbweaver::ServerCall& _call) override;
  void* _as(const ::orbweaver::Interface* _type) noexcept override {
    return _type == &::orbweaver::deferring_interface() ? this : nullptr;
  }
  const ::orbweaver::Interface& _interface() const noexcept override { return $stub$::_static_interface(); }
};

)",
              {{"stub", qualified(decl)},
               {"operations", operations.empty() ? "" : indented(operations, 2) + "\n"}});
}

std::string amh_traits(const Interface& decl) {
  return fill(R"(template <>
struct amh_traits<$stub$> {
  using base_type = $skeleton$;
  using ref_type = servant_reference<base_type>;
};

)",
              {{"stub", qualified(decl)}, {"skeleton", qualified_class(decl)}});
}

std::string amh_declared(const Interface& decl) {
  std::string out;
  for (const Call& call : calls_of(decl)) {
    out += "void amh_" + call.label + "(" + qualified_class(decl) +
           "& _servant, ::orbweaver::ServerCall& _call);\n";
  }
  return out;
}

std::string amh_serve_functions(const Interface& decl) {
  std::string out;
  for (const Call& call : calls_of(decl)) {
    const bool native = has_native_type(call);
    std::string declarations, decodes;
    std::vector<std::string> arguments;
    if (!call.oneway) arguments.push_back(response_type(call) + "(_reply)");
    for (const Parameter& each : call.parameters) {
      if (!travels_in(each)) continue;
      const std::string name = identifier(each.name);
      declarations += (each.view ? parameter_type(each) : type_name(*each.type)) + " " + name + "{};\n";
      decodes += decode_line(each, name);
      arguments.push_back(name);
    }
    if (!call.contexts.empty()) {
      declarations += "std::vector<std::string> _values;\n";
      decodes += "::orbweaver::decode_context(_in, _values);\n";
      arguments.push_back("::orbweaver::context_of(_values)");
    }
    if (sends_values(call))
      decodes = "{\n  const ::orbweaver::cdr::ValueReadScope _scope(_in);\n" + indented(decodes, 2) + "}\n";
    const std::string upcall = "_servant." + function_name(call) + "(" + join(arguments, ", ") + ");\n";
    const std::string body =
        native ? raise_native_type(decl, call)
               : fill(R"($declarations$
$in$
$decodes$
$check$
$upcall$
)",
                      {{"declarations", declarations},
                       {"in", decodes.empty() ? "" : "::orbweaver::cdr::Decoder& _in = _call.arguments();\n"},
                       {"decodes", decodes},
                       {"check", decodes.empty() ? "" : "if (!_call.arguments_decoded()) return;\n"},
                       {"upcall", call.oneway
                                      ? upcall
                                      : "::orbweaver::serve_deferred(_call, [&](const auto& _reply) {\n  " +
                                            upcall + "});\n"}});
    out += fill(R"(void amh_$label$($skeleton$&$servant$, ::orbweaver::ServerCall&$call$) {
$body$
}

)",
                {{"label", call.label},
                 {"skeleton", qualified_class(decl)},
                 {"servant", native ? "" : " _servant"},
                 {"call", body.find("_call") == std::string::npos ? "" : " _call"},
                 {"body", indented(body, 2)}});
  }
  return out;
}

std::string amh_dispatch(const Interface& decl) {
  return dispatch_function(
      decl,
      {class_name(decl), qualified_class(decl), [](const Interface& owner) { return qualified_class(owner); },
       [](const Interface& owner, const Call& call) { return serve_name(owner, call); }});
}

}  // namespace orbweaver::idl::cpp
