#include "call/call_command.h"

#include <orbweaver/dynamic.h>
#include <orbweaver/flush.h>
#include <orbweaver/messaging.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>
#include <utility>

#include "base/printable.h"
#include "call/text_to_value.h"
#include "call/type_names.h"
#include "cdr/typecode_graph.h"

namespace orbweaver::call {
namespace {

using CORBA::Any;
using CORBA::TCKind;
using ContextRef = IDL::traits<CORBA::Context>::ref_type;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using RequestRef = IDL::traits<CORBA::Request>::ref_type;

constexpr int kExitBadInput = 2;

Error invalid(std::string message) { return {ErrorKind::invalid, std::move(message)}; }

CommandOutput failed(const Error& error) {
  const int status = error.kind == ErrorKind::invalid     ? kExitBadInput
                     : error.kind == ErrorKind::timed_out ? kExitTimedOut
                                                          : kExitNotCalled;
  return {status, "", error.message};
}

/// Reads all of a stream up to the limit.
Result<std::string> read_limited(std::istream& in, const std::string& name) {
  std::string text;
  char buffer[1 << 14];
  while (in.read(buffer, sizeof buffer) || in.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMaxArgumentBytes)
      return invalid("'" + printable(name) + "' has more than " + std::to_string(kMaxArgumentBytes) +
                     " bytes");
  }
  if (in.bad()) return invalid("'" + printable(name) + "' cannot be read");
  return text;
}

/// The text of an argument, or of the file that it names.
Result<std::string> text_of(const std::string& argument) {
  if (!argument.starts_with('@')) return argument;
  const std::string name = argument.substr(1);
  if (name == "-") return read_limited(std::cin, "standard input");
  std::ifstream file(name, std::ios::binary);
  if (!file) return invalid("'" + printable(name) + "' cannot be read");
  return read_limited(file, name);
}

bool is_sent(const Signature::Parameter& parameter) {
  return parameter.direction != Signature::Direction::out;
}
bool is_received(const Signature::Parameter& parameter) {
  return parameter.direction != Signature::Direction::in;
}

std::string count_text(std::size_t n, const char* noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

/// The values of the parameters that are sent.
Result<std::vector<Any>> values_of(const Signature& signature, const CallOptions& options,
                                   const ConversionContext& context) {
  std::size_t expected = 0;
  for (const Signature::Parameter& each : signature.parameters) expected += is_sent(each) ? 1 : 0;
  if (options.arguments.size() != expected)
    return invalid(to_text(signature, context.types) + " takes " + count_text(expected, "argument") +
                   ", and " + std::to_string(options.arguments.size()) +
                   (options.arguments.size() == 1 ? " is" : " are") + " given");
  std::vector<Any> values;
  for (const Signature::Parameter& each : signature.parameters) {
    if (!is_sent(each)) continue;
    const auto text = text_of(options.arguments[values.size()]);
    if (!text) return text.error();
    auto value = text_to_value(*text, *each.type, context);
    if (!value)
      return invalid("parameter '" + each.name + "' (" + type_name(*each.type, context.types) +
                     "): " + value.error().message);
    values.push_back(std::move(*value));
  }
  return values;
}

/// The properties of --context, which operations with a context clause get.
Result<ContextRef> context_of(const CallOptions& options, const Signature& signature) {
  if (!options.context.empty() && signature.contexts.empty())
    return invalid("--context: " + signature.operation + " has no context clause");
  const auto context = CORBA::make_reference<CORBA::Context>();
  for (const std::string& each : options.context) {
    const std::size_t equals = each.find('=');
    if (equals == std::string::npos)
      return invalid("--context takes NAME=VALUE, such as user=ada; found '" + printable(each, 80) + "'");
    try {
      context->set_one_value(each.substr(0, equals), each.substr(equals + 1));
    } catch (const CORBA::BAD_CONTEXT& e) {
      return invalid("--context: " + e.detail());
    }
  }
  return context;
}

/// What a call sends.
struct Sent {
  std::vector<Any> values;
  ContextRef context;
};

RequestRef request_of(const ObjectRef& object, const Signature& signature, const Sent& sent) {
  const std::vector<Any>& values = sent.values;
  RequestRef request = create_request(object, signature.operation);
  request->set_return_type(signature.result);
  std::size_t next = 0;
  for (const Signature::Parameter& each : signature.parameters) {
    switch (each.direction) {
      case Signature::Direction::in: request->add_in_arg(each.name) = values[next++]; break;
      case Signature::Direction::inout: request->add_inout_arg(each.name) = values[next++]; break;
      case Signature::Direction::out: request->add_out_arg(each.name, each.type); break;
    }
  }
  for (const CORBA::typecode_reference& each : signature.exceptions) request->exceptions()->add(each);
  for (const std::string& each : signature.contexts) request->contexts()->add(each);
  request->ctx(sent.context);
  return request;
}

void send(const RequestRef& request, const Signature& signature) {
  if (signature.oneway) return request->send_oneway();
  request->invoke();
}

/// What the call has returned: the result, or an object of all that was received; empty if there is nothing.
Result<std::string> results_text(const RequestRef& request, const Signature& signature, const IdlTypes& types,
                                 OctetsAs octets) {
  Json all = Json::object();
  const auto add = [&](const std::string& name, const Any& value) -> Result<void> {
    auto json = value_to_json(value, types, octets);
    if (!json) return invalid("'" + name + "' " + json.error().message);
    all[name] = std::move(*json);
    return {};
  };
  const bool has_result = typecode::resolved(*signature.result).kind() != TCKind::tk_void;
  bool is_taken = false;  // the name of the result
  for (const Signature::Parameter& each : signature.parameters) is_taken = is_taken || each.name == "result";
  if (has_result && !signature.oneway) {
    if (auto added = add(is_taken ? "_result" : "result", request->return_value()); !added)
      return added.take_error();
  }
  for (std::uint32_t i = 0; i < signature.parameters.size(); ++i) {
    if (!is_received(signature.parameters[i])) continue;
    if (auto added = add(signature.parameters[i].name, request->arguments()->item(i)->value()); !added)
      return added.take_error();
  }
  if (all.empty()) return std::string();
  return json_text(has_result && all.size() == 1 ? all.front() : all) + "\n";
}

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Connects, and waits until the server has admitted the connection. It may ask the kernel for the user of
/// the caller, whom it does not find if this process has ended after a one-way call.
void connect(const ObjectRef& object) {
  CORBA::PolicyList inconsistent;
  object->_validate_connection(inconsistent);
}

/// Makes the calls of --time: the connection is there before the first one.
std::string time_calls(const ObjectRef& object, const Signature& signature, const Sent& sent,
                       std::uint32_t repetitions) {
  connect(object);
  std::vector<std::int64_t> latencies;
  latencies.reserve(repetitions);
  for (std::uint32_t i = 0; i < repetitions; ++i) {
    const RequestRef request = request_of(object, signature, sent);
    const std::int64_t begin = now_ns();
    send(request, signature);
    latencies.push_back(now_ns() - begin);
  }
  return count_text(repetitions, "call") + ": " + latency_text(std::move(latencies)) + "\n";
}

Result<ObjectRef> with_sync_scope(const ObjectCaller& caller, const std::string& scope) {
  if (scope.empty()) return caller.object();
  const Messaging::SyncScope value = scope == "none"        ? Messaging::SYNC_NONE
                                     : scope == "transport" ? Messaging::SYNC_WITH_TRANSPORT
                                     : scope == "server"    ? Messaging::SYNC_WITH_SERVER
                                                            : Messaging::SYNC_WITH_TARGET;
  Any any;
  any <<= value;
  const auto policy = caller.orb()->create_policy(Messaging::SYNC_SCOPE_POLICY_TYPE, any);
  return caller.object()->_set_policy_overrides({policy}, CORBA::SetOverrideType::ADD_OVERRIDE);
}

/// "Test::Refused {"why": "…"}"
std::string exception_text(const Any& exception, const IdlTypes& types, OctetsAs octets) {
  const auto json = value_to_json(exception, types, octets);
  const std::string members = !json || json->empty() ? "" : " " + json_line(*json);
  return printable(type_name(*exception.type(), types), 200) + members;
}

/// The interface of the reference if the IDL declares it; otherwise the operation decides.
std::string interface_of(const CallOptions& options, const Idl& idl, const ObjectRef& object) {
  if (!options.interface.empty()) return options.interface;
  const std::string id = object->_repository_id();
  for (const idl::ir::Interface* const each : idl.interfaces())
    if (each->repository_id() == id) return id;
  return "";
}

Result<CommandOutput> make_call(const CallOptions& options, const Idl& idl, const ObjectCaller& caller) {
  const auto signature = find_signature(idl, interface_of(options, idl, caller.object()), options.operation,
                                        options.arguments.size());
  if (!signature) return signature.error();
  auto values = values_of(*signature, options, {idl.types(), caller.orb()});
  if (!values) return values.error();
  const auto context = context_of(options, *signature);
  if (!context) return context.error();
  const Sent sent{std::move(*values), *context};
  try {
    const auto object = with_sync_scope(caller, options.sync_scope);
    if (!object) return object.error();
    CommandOutput output;
    if (options.repetitions > 0) {
      output.text = time_calls(*object, *signature, sent, options.repetitions);
    } else {
      if (signature->oneway) connect(*object);
      const RequestRef request = request_of(*object, *signature, sent);
      send(request, *signature);
      auto text = results_text(request, *signature, idl.types(), options.octets);
      if (!text) return CommandOutput{kExitNotCalled, "", text.error().message};
      output.text = std::move(*text);
    }
    if (signature->oneway) flush(*object);
    return output;
  } catch (const CORBA::UnknownUserException& e) {
    return CommandOutput{
        kExitUserException, "",
        signature->operation + " raised " + exception_text(e.exception(), idl.types(), options.octets)};
  } catch (const CORBA::SystemException& e) {
    return CommandOutput{exit_status(e), "", signature->operation + ": " + e.what()};
  }
}

}  // namespace

CommandOutput call_operation(const CallOptions& options) {
  const auto idl = Idl::compile(options.idl);
  if (!idl) return failed(idl.error());
  const auto caller = ObjectCaller::make(options.target);
  if (!caller) return failed(caller.error());
  auto output = make_call(options, **idl, **caller);
  return output ? std::move(*output) : failed(output.error());
}

CommandOutput list_operations(const CallOptions& options) {
  const auto idl = Idl::compile(options.idl);
  if (!idl) return failed(idl.error());
  std::string interface = options.interface;
  if (interface.empty() && !options.target.reference.empty()) {
    const auto caller = ObjectCaller::make(options.target);
    if (!caller) return failed(caller.error());
    interface = (*caller)->object()->_repository_id();
  }
  auto text = list_operations(**idl, interface);
  return text ? CommandOutput{0, std::move(*text), ""} : failed(text.error());
}

}  // namespace orbweaver::call
