// Asynchronous functions of stubs, reply handlers and pollers (--ami): CORBA 3.3 part 1, 22, in the C++ of
// IDL to C++11, and functions that return a Future.
#include "idlc/cpp/ami.h"

#include <algorithm>

#include "idlc/cpp/constructs.h"
#include "idlc/cpp/marshal.h"
#include "idlc/cpp/names.h"
#include "idlc/cpp/text.h"

namespace orbweaver::idl::cpp {

using namespace ir;

bool has_ami(const Interface& decl) { return !decl.local && !decl.builtin && !decl.abstract_; }

namespace {

constexpr std::string_view kReturn = "_ami_return_val";

// The name of a call in those of its asynchronous functions: "say", "get_level".
std::string base_name(const Call& call) {
  return call.label.starts_with("op_") ? call.label.substr(3) : call.label;
}

// "sendc_say", with the prefix "ami_" as often as needed to differ from the operations of the interface.
std::string function_name(const Interface& decl, std::string_view prefix, const Call& call) {
  std::vector<std::string> taken;
  for (const Interface* each : ancestry(decl)) {
    for (const Call& other : calls_of(*each)) taken.push_back(other.cpp_name);
  }
  std::string name = std::string(prefix) + base_name(call);
  while (std::find(taken.begin(), taken.end(), name) != taken.end()) name = "ami_" + name;
  return name;
}

// "AMI_EchoHandler", with the prefix "AMI_" as often as needed to differ from the declarations of the scope.
std::string class_name(const Interface& decl, std::string_view suffix) {
  std::string name = "AMI_" + decl.name + std::string(suffix);
  const auto is_taken = [&] {
    return decl.parent != nullptr && decl.parent->kind == DeclKind::module &&
           std::any_of(as<Module>(*decl.parent).contents.begin(), as<Module>(*decl.parent).contents.end(),
                       [&](const Declaration* each) { return each->name == name; });
  };
  while (is_taken()) name = "AMI_" + name;
  return name;
}

std::string qualified_class(const Interface& decl, std::string_view suffix) {
  const std::string space = namespace_of(decl);
  return "::" + (space.empty() ? "" : space + "::") + class_name(decl, suffix);
}

bool is_asynchronous(const Call& call) { return !call.oneway && !has_native_type(call); }

std::vector<Call> asynchronous_calls(const Interface& decl) {
  std::vector<Call> calls;
  for (Call& call : calls_of(decl)) {
    if (is_asynchronous(call)) calls.push_back(std::move(call));
  }
  return calls;
}

// A result of a call: its name and type.
struct CallResult {
  std::string name;
  const Type* type;
};

std::vector<CallResult> results_of(const Call& call) {
  std::vector<CallResult> results;
  if (call.result->kind != TypeKind::void_) results.push_back({std::string(kReturn), call.result});
  for (const Parameter& each : call.parameters) {
    if (travels_out(each)) results.push_back({identifier(each.name), each.type});
  }
  return results;
}

std::string result_types(const Call& call) {
  std::vector<std::string> types;
  for (const CallResult& each : results_of(call)) types.push_back(type_name(*each.type));
  return join(types, ", ");
}

std::string future_type(const Call& call) {
  const std::vector<CallResult> results = results_of(call);
  if (results.empty()) return "void";
  return results.size() == 1 ? result_types(call) : "std::tuple<" + result_types(call) + ">";
}

// The parameters of an asynchronous function: those that travel in, by value or const reference.
std::vector<std::string> parameters_in(const Call& call) {
  std::vector<std::string> parameters;
  for (const Parameter& each : call.parameters) {
    if (!travels_in(each)) continue;
    parameters.push_back((each.view ? parameter_type(each) : in_type(*each.type)) + " " +
                         identifier(each.name));
  }
  if (!call.contexts.empty()) parameters.emplace_back("::IDL::traits<::CORBA::Context>::ref_type _context");
  return parameters;
}

std::string arguments(const Call& call) {
  std::vector<std::string> values;
  for (const Parameter& each : call.parameters) {
    if (!travels_in(each)) continue;
    const std::uint64_t bound = each.view ? resolved(*each.type).bound : 0;
    std::string value = identifier(each.name);
    if (bound != 0) value = "::IDL::checked_bound<" + std::to_string(bound) + ">(" + value + ")";
    values.push_back(each.view ? "::orbweaver::owned(" + value + ")" : value);
  }
  if (!call.contexts.empty()) {
    std::vector<std::string> patterns;
    for (const std::string& each : call.contexts) patterns.push_back(string_literal(each));
    values.push_back("::orbweaver::context_values(_context, {" + join(patterns, ", ") + "})");
  }
  return "::orbweaver::async_arguments(" + join(values, ", ") + ")";
}

std::string operation(const Interface& decl, const Call& call) {
  return "::" + operations_namespace(decl) + "::" + call.label;
}

std::string function_head(const Interface& decl, const Call& call, std::string_view kind,
                          const std::string& result_and_class, std::string_view tail, int column) {
  std::vector<std::string> parameters = parameters_in(call);
  if (kind == "sendc_") {
    parameters.insert(parameters.begin(),
                      "::CORBA::object_reference<" + qualified_class(decl, "Handler") + "> _ami_handler");
  }
  return list(result_and_class + function_name(decl, kind, call) + "(", parameters, ")" + std::string(tail),
              column);
}

std::string poller_reference(const Interface& decl) {
  return "::CORBA::object_reference<" + qualified_class(decl, "Poller") + ">";
}

std::vector<std::string> handler_parameters(const Call& call) {
  std::vector<std::string> parameters;
  for (const CallResult& each : results_of(call)) parameters.push_back(in_type(*each.type) + " " + each.name);
  return parameters;
}

std::vector<std::string> poller_parameters(const Call& call) {
  std::vector<std::string> parameters{"std::uint32_t _timeout"};
  for (const CallResult& each : results_of(call))
    parameters.push_back(type_name(*each.type) + "& " + each.name);
  return parameters;
}

std::string handler_function(const Call& call) {
  return call.label.starts_with("op_") ? call.cpp_name : base_name(call);
}

std::string poller_body(const Interface& decl, const Call& call) {
  const std::vector<CallResult> results = results_of(call);
  std::string assign;
  if (results.empty()) return "  take(" + operation(decl, call) + ", _timeout);\n";
  const std::string taken =
      "static_cast<::orbweaver::FutureCall<" + future_type(call) + ">*>(_call.get())" + "->take_results();\n";
  if (results.size() == 1) {
    assign = "  " + results[0].name + " = " + taken;
  } else {
    std::vector<std::string> names;
    for (const CallResult& each : results) names.push_back(each.name);
    assign = "  std::tie(" + join(names, ", ") + ") = " + taken;
  }
  return "  const auto _call = take(" + operation(decl, call) + ", _timeout);\n" + assign;
}

}  // namespace

std::string ami_forward_declaration(const Interface& decl) {
  return "class " + class_name(decl, "Handler") + ";\nclass " + class_name(decl, "Poller") + ";\n";
}

std::string ami_stub_functions(const Interface& decl) {
  std::string out;
  for (const Call& call : asynchronous_calls(decl)) {
    out += function_head(decl, call, "sendc_", "void ", ";\n", 2);
    out += function_head(decl, call, "sendp_", poller_reference(decl) + " ", ";\n", 2);
    out += function_head(decl, call, "async_", "::orbweaver::Future<" + future_type(call) + "> ", ";\n", 2);
  }
  return out.empty() ? "" : "// Asynchronous calls: docs/asynchronous-calls.md.\n" + out;
}

std::string ami_classes(const Interface& decl) {
  const std::string handler = class_name(decl, "Handler"), poller = class_name(decl, "Poller");
  std::vector<std::string> bases;
  for (const Interface* base : decl.bases) {
    if (has_ami(*base)) bases.push_back("public virtual " + qualified_class(*base, "Handler"));
  }
  if (bases.empty()) bases.emplace_back("public virtual ::Messaging::ReplyHandler");
  std::string functions, polls;
  for (const Call& call : asynchronous_calls(decl)) {
    functions +=
        list("virtual void " + handler_function(call) + "(", handler_parameters(call), ") = 0;\n", 2);
    functions += "virtual void " + base_name(call) +
                 "_excep(::CORBA::object_reference<::Messaging::ExceptionHolder> _excep_holder) = 0;\n";
    polls += list("void " + handler_function(call) + "(", poller_parameters(call), ");\n", 2);
  }
  return list("class " + handler + " : ", bases, " {\n") +
         fill(R"( public:
  using _ref_type = ::CORBA::object_reference<$handler$>;
$functions$

 protected:
  $handler$() = default;
};

class $poller$ final : public ::Messaging::Poller {
 public:
  using _ref_type = ::CORBA::object_reference<$poller$>;
  $poller$(const ::CORBA::Object& _target, ::CORBA::object_reference<::orbweaver::KeptCall> _call)
      : ::Messaging::Poller(_target, std::move(_call)) {}
$polls$
};

)",
              {{"handler", handler},
               {"poller", poller},
               {"functions", functions.empty() ? "" : "\n" + indented(functions, 2)},
               {"polls", polls.empty() ? "" : "\n" + indented(polls, 2)}});
}

std::string ami_traits(const Interface& decl) {
  return fill(R"(template <>
struct amic_traits<$stub$> {
  using replyhandler_base_type = $handler$;
  using replyhandler_ref_type = object_reference<$handler$>;
  using replyhandler_servant_ref_type = object_reference<$handler$>;
  using poller_ref_type = object_reference<$poller$>;
  /// A handler that passes replies to the object `_handler`, of this or another process.
  static replyhandler_ref_type remote_replyhandler(object_reference<Object> _handler);
  /// A servant for such an object, which calls `_handler`.
  static servant_reference<::PortableServer::Servant> replyhandler_servant(replyhandler_ref_type _handler);
};

)",
              {{"stub", qualified(decl)},
               {"handler", qualified_class(decl, "Handler")},
               {"poller", qualified_class(decl, "Poller")}});
}

std::string ami_bodies(const Interface& decl) {
  const std::string name = identifier(decl), handler = qualified_class(decl, "Handler");
  const std::string poller = class_name(decl, "Poller");
  std::string out;
  for (const Call& call : asynchronous_calls(decl)) {
    const std::string types = result_types(call);
    const std::string kept =
        fill("::orbweaver::send_kept<$types$>(*this, $operation$,\n      $arguments$)",
             {{"types", types}, {"operation", operation(decl, call)}, {"arguments", arguments(call)}});
    out += function_head(decl, call, "sendc_", "void " + name + "::", " {\n", 0) +
           fill(R"(  ::orbweaver::send_with_handler<$types$>(
      *this, $operation$, std::move(_ami_handler),
      &$handler$::$function$, &$handler$::$base$_excep,
      $arguments$);
}

)",
                {{"types", types},
                 {"operation", operation(decl, call)},
                 {"handler", handler},
                 {"function", handler_function(call)},
                 {"base", base_name(call)},
                 {"arguments", arguments(call)}});
    out += function_head(decl, call, "sendp_", poller_reference(decl) + " " + name + "::", " {\n", 0) +
           "  return ::CORBA::make_reference<" + qualified_class(decl, "Poller") + ">(\n      *this, " +
           kept + ");\n}\n\n";
    const std::string future = "::orbweaver::Future<" + future_type(call) + ">";
    out += function_head(decl, call, "async_", future + " " + name + "::", " {\n", 0) + "  return " + future +
           "(" + kept + ");\n}\n\n";
    out += list("void " + poller + "::" + handler_function(call) + "(", poller_parameters(call), ") {\n", 0) +
           poller_body(decl, call) + "}\n\n";
  }
  return out;
}

std::string ami_operations_declared(const Interface& decl) {
  std::string out;
  for (const Call& call : asynchronous_calls(decl)) {
    out += "extern const ::orbweaver::Operation reply_" + call.label + ";\n" +
           "extern const ::orbweaver::Operation excep_" + call.label + ";\n";
  }
  return out;
}

namespace {

// The name of a function of the handler in requests.
std::string wire_name(const Call& call) {
  return call.label.starts_with("op_") ? call.wire_name : base_name(call);
}

// The interfaces whose functions a handler has.
std::vector<const Interface*> handler_ancestry(const Interface& decl) {
  std::vector<const Interface*> all;
  for (const Interface* each : ancestry(decl)) {
    if (has_ami(*each)) all.push_back(each);
  }
  return all;
}

std::string handler_id(const Interface& decl) {
  const std::string& id = decl.repository_id();
  const std::size_t at = id.rfind(decl.name);
  if (at == std::string::npos) return string_literal(id + "/AMI_Handler");
  return string_literal(id.substr(0, at) + class_name(decl, "Handler") + id.substr(at + decl.name.size()));
}

std::string operation_constant(const std::string& label, const std::string& name) {
  return "const ::orbweaver::Operation " + label + "{" + string_literal(name) + ", " +
         std::to_string(name.size()) + ", false, nullptr, 0};\n";
}

}  // namespace

std::string ami_operations_defined(const Interface& decl) {
  std::string constants, functions, ids;
  for (const Call& call : asynchronous_calls(decl)) {
    constants += operation_constant("reply_" + call.label, wire_name(call)) +
                 operation_constant("excep_" + call.label, wire_name(call) + "_excep");
  }
  for (const Interface* owner : handler_ancestry(decl)) {
    const std::string scope = "::" + operations_namespace(*owner) + "::";
    for (const Call& call : asynchronous_calls(*owner)) {
      std::vector<std::string> passed{scope + "reply_" + call.label};
      for (const CallResult& each : results_of(call)) passed.push_back(each.name);
      functions +=
          list("void " + handler_function(call) + "(", handler_parameters(call), ") override {\n", 2) +
          list("  ::orbweaver::RemoteHandler::reply(", passed, ");\n", 4) + "}\n" + "void " +
          base_name(call) +
          "_excep(::CORBA::object_reference<::Messaging::ExceptionHolder> _excep_holder) override {\n" +
          "  ::orbweaver::RemoteHandler::fail(" + scope + "excep_" + call.label + ", *_excep_holder);\n}\n";
    }
  }
  return constants + fill(R"(
namespace {

class ami_remote final : public virtual $handler$, private ::orbweaver::RemoteHandler {
 public:
  explicit ami_remote(::CORBA::object_reference<::CORBA::Object> _object)
      : RemoteHandler(std::move(_object)) {}
$functions$
};

}  // namespace

)",
                          {{"handler", qualified_class(decl, "Handler")},
                           {"functions", functions.empty() ? "" : "\n" + indented(functions, 2)}});
}

std::string ami_traits_bodies(const Interface& decl) {
  const std::string handler = qualified_class(decl, "Handler"),
                    traits = "amic_traits<" + qualified(decl) + ">";
  const std::vector<const Interface*> owners = handler_ancestry(decl);
  std::vector<std::string> ids;
  std::string entries;
  for (const Interface* owner : owners) {
    ids.push_back(handler_id(*owner));
    const std::string scope = "::" + operations_namespace(*owner) + "::";
    for (const Call& call : asynchronous_calls(*owner)) {
      std::vector<std::string> of{handler, "&" + handler + "::" + handler_function(call)};
      if (const std::string types = result_types(call); !types.empty()) of.push_back(types);
      entries += "{&" + scope + "reply_" + call.label + ",\n " +
                 list("&::orbweaver::serve_reply<", of, ">},\n", 1) + "{&" + scope + "excep_" + call.label +
                 ",\n &::orbweaver::serve_exception<" + handler + ", &" + handler + "::" + base_name(call) +
                 "_excep,\n                               " + scope + call.label + ">},\n";
    }
  }
  ids.emplace_back("\"IDL:omg.org/Messaging/ReplyHandler:1.0\"");
  const std::string count = std::to_string(ids.size());
  const std::string table = entries.empty()
                                ? "  static constexpr const ::orbweaver::HandlerServant<" + handler +
                                      ">::Entry* kEntries = nullptr;\n"
                                : "  static constexpr ::orbweaver::HandlerServant<" + handler +
                                      ">::Entry kEntries[] = {\n" + indented(entries, 6) + "  };\n";
  return fill(
      R"($traits$::replyhandler_ref_type $traits$::remote_replyhandler(object_reference<Object> _handler) {
  if (!_handler) return nullptr;
  return make_reference<::$operations$::ami_remote>(std::move(_handler));
}

servant_reference<::PortableServer::Servant> $traits$::replyhandler_servant(replyhandler_ref_type _handler) {
$ids$
  static constexpr ::orbweaver::Interface kInterface{$id$, kAncestors, $count$};
$table$
  return make_reference<::orbweaver::HandlerServant<$handler$>>(std::move(_handler), kInterface, kEntries,
                                                                $entries$);
}

)",
      {{"traits", traits},
       {"operations", operations_namespace(decl)},
       {"ids", list("  static constexpr const char* kAncestors[] = {", ids, "};\n")},
       {"id", handler_id(decl)},
       {"count", count},
       {"table", table},
       {"handler", handler},
       {"entries", entries.empty() ? "0" : "std::size(kEntries)"}});
}

}  // namespace orbweaver::idl::cpp
