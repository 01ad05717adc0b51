#include <algorithm>

#include "idlc/cpp/constructs.h"
#include "idlc/cpp/names.h"
#include "idlc/cpp/text.h"
#include "idlc/ir/holds_values.h"

namespace orbweaver::idl::cpp {

using namespace ir;

namespace {

const Type& nothing() {
  static const Type kVoid;
  return kVoid;
}

void add_attribute(const Attribute& attribute, std::vector<Call>& calls) {
  Call get;
  get.wire_name = "_get_" + attribute.name;
  get.label = "get_" + attribute.name;
  get.cpp_name = identifier(attribute.name);
  get.result = attribute.type;
  get.raises = attribute.get_raises;
  calls.push_back(get);
  if (attribute.readonly) return;
  Call set;
  set.wire_name = "_set_" + attribute.name;
  set.label = "set_" + attribute.name;
  set.cpp_name = identifier(attribute.name);
  set.result = &nothing();
  set.raises = attribute.set_raises;
  Parameter value;
  value.name = "_value";
  value.type = attribute.type;
  set.parameters.push_back(value);
  calls.push_back(set);
}

}  // namespace

std::vector<Call> calls_of(const Interface& decl) { return calls_of(decl.contents); }

std::vector<Call> calls_of(const std::vector<const Declaration*>& contents) {
  std::vector<Call> calls;
  for (const Declaration* each : contents) {
    if (each->kind == DeclKind::attribute) add_attribute(as<Attribute>(*each), calls);
    if (each->kind != DeclKind::operation) continue;
    const auto& operation = as<Operation>(*each);
    Call call;
    call.wire_name = operation.name;
    call.label = "op_" + operation.name;
    call.cpp_name = identifier(operation.name);
    call.oneway = operation.oneway;
    call.result = operation.result;
    call.parameters = operation.parameters;
    call.contexts = operation.contexts;
    call.raises = operation.raises;
    calls.push_back(call);
  }
  return calls;
}

bool sends_values(const Call& call) {
  return std::any_of(call.parameters.begin(), call.parameters.end(), [](const Parameter& each) {
    return each.direction != Direction::out && holds_values(*each.type);
  });
}

bool returns_values(const Call& call) {
  return holds_values(*call.result) ||
         std::any_of(call.parameters.begin(), call.parameters.end(), [](const Parameter& each) {
           return each.direction != Direction::in && holds_values(*each.type);
         });
}

bool has_native_type(const Call& call) {
  const auto is_native = [](const Type& type) {
    const Declaration* const named = declared(type);
    return named && named->kind == DeclKind::native && !is_abstract_base(*named);
  };
  return is_native(*call.result) || std::any_of(call.parameters.begin(), call.parameters.end(),
                                                [&](const Parameter& each) { return is_native(*each.type); });
}

std::string raise_native_type(const Interface& decl, const Call& call) {
  return "throw ::CORBA::MARSHAL(0x4f570016, ::CORBA::CompletionStatus::COMPLETED_NO,\n                      "
         " " +
         string_literal(scoped_name(&decl).substr(2) + "::" + call.wire_name) +
         "\n                       \" has a parameter or result of a native type, which cannot be sent\");\n";
}

std::string signature(const Call& call, const std::string& name_prefix, std::string_view tail, int column) {
  std::vector<std::string> parameters;
  for (const Parameter& each : call.parameters)
    parameters.push_back(parameter_type(each) + " " + identifier(each.name));
  if (!call.contexts.empty()) parameters.push_back("::IDL::traits<::CORBA::Context>::ref_type _context");
  return list(name_prefix + call.cpp_name + "(", parameters, ")" + std::string(tail), column);
}

}  // namespace orbweaver::idl::cpp
