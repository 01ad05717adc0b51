// orbweaver call: calls an operation of an object; arguments and results are JSON.
#include "call/call_command.h"

#include <cstdio>
#include <memory>
#include <string_view>

#include "base/printable.h"
#include "reference_argument.h"
#include "subcommand.h"

namespace orbweaver::tools {
namespace {

constexpr const char* kHelp =
    "orbweaver call [OPTION…] REFERENCE OPERATION [ARG…]\n"
    "orbweaver call --list --idl FILE [REFERENCE]\n"
    "\n"
    "Calls the operation of an object of any ORB by its IDL, and prints what it returns as JSON. REFERENCE "
    "is\n"
    "an IOR:…, corbaloc:… or corbaname:…, a file with one, - for standard input, or a name in the naming\n"
    "service. Each ARG is the JSON of an in or inout parameter, without quotes if it is a string, or @FILE.\n"
    "An attribute is read by its name or _get_NAME, and set by _set_NAME. docs/call.md has the details.\n"
    "\n"
    "  orbweaver call --idl hello.idl hello.ior greet world\n"
    "  orbweaver call --idl radio.idl radios/left.tuner _set_frequency 145500000\n"
    "  orbweaver call --idl radio.idl --time 1000 radios/left.tuner frequency\n"
    "\n"
    "Exit status: 0; 1 the object cannot be called, or raises a system exception; 2 bad input; 3 the "
    "operation\n"
    "raised a user exception; 4 no reply within the time limit.";

struct Arguments {
  call::CallOptions call;
  std::string reference;
  std::string naming = kLocalNaming;
  std::string octets = "base64";
  bool list = false;
};

int fail(int status, const std::string& message) {
  std::string text = printable_lines(message);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::fprintf(stderr, "orbweaver call: %s\n", text.c_str());
  return status;
}

int finish(const call::CommandOutput& output) {
  if (!output.error.empty()) return fail(output.status, output.error);
  const std::string why = print(output.text);
  return why.empty() ? output.status : fail(kExitNotWritten, why);
}

/// The words behind the operation, which CLI11 has left: it would split JSON arrays.
std::string take_arguments(const CLI::App& app, std::vector<std::string>& arguments) {
  for (std::string& word : app.remaining()) {
    if (word.starts_with("--"))
      return "there is no option '" + printable(word, 80) +
             "'; an argument that begins with -- is put into quotes: '\"--x\"'";
    arguments.push_back(std::move(word));
  }
  return {};
}

int run(const CLI::App& app, Arguments& arguments) {
  call::CallOptions& options = arguments.call;
  if (const std::string why = take_arguments(app, options.arguments); !why.empty())
    return fail(kExitBadInput, why);
  options.octets = arguments.octets == "array" ? call::OctetsAs::array : call::OctetsAs::base64;
  if (!arguments.list && (arguments.reference.empty() || options.operation.empty()))
    return fail(kExitBadInput, "name an object and an operation; --list shows the operations of the IDL");
  if (!arguments.reference.empty()) {
    auto reference = find_reference(arguments.reference, arguments.naming, options.target);
    if (!reference) {
      const ErrorKind kind = reference.error().kind;
      return fail(kind == ErrorKind::invalid     ? kExitBadInput
                  : kind == ErrorKind::timed_out ? call::kExitTimedOut
                                                 : call::kExitNotCalled,
                  reference.error().message);
    }
    options.target.reference = std::move(*reference);
  }
  return finish(arguments.list ? call::list_operations(options) : call::call_operation(options));
}

std::function<int()> set_up(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  call::CallOptions& options = arguments->call;
  options.target.timeout_ms = 30'000;
  app.footer(kHelp);
  app.allow_extras();
  app.add_option("REFERENCE", arguments->reference, "The object");
  app.add_option("OPERATION", options.operation, "The operation; its arguments follow");
  app.add_option("--idl", options.idl.files, "The IDL of the object; may be given again")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("-I", options.idl.include_folders, "A folder in which the IDL includes files")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
  app.add_option("-D", options.idl.defines, "A macro of the IDL")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false);
  app.add_option("--interface", options.interface, "The interface, if the reference does not tell it")
      ->type_name("NAME");
  app.add_flag("--list", arguments->list, "Prints the operations instead of a call");
  app.add_option("--time", options.repetitions, "Calls N times, and prints the latencies")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{1}, call::kMaxRepetitions));
  app.add_option("--timeout", options.target.timeout_ms, "The time limit of a call; 0: none (default: 30000)")
      ->type_name("MS");
  app.add_option("--sync", options.sync_scope, "When a one-way call returns: none, transport, server, target")
      ->type_name("SCOPE")
      ->check(CLI::IsMember({"none", "transport", "server", "target"}));
  app.add_option("--context", options.context, "A property for a context clause; may be given again")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--octets", arguments->octets, "How octets are printed: base64 (default) or array")
      ->type_name("FORM")
      ->check(CLI::IsMember({"base64", "array"}));
  app.add_option("--naming", arguments->naming,
                 "The naming service of names (default: corbaloc::localhost/NameService)")
      ->type_name("REFERENCE");
  app.add_option("--orb", options.target.orb, "Another ORB option, without its -ORB; may be given again")
      ->type_name("OPTION=VALUE")
      ->allow_extra_args(false);
  return [arguments, &app] { return run(app, *arguments); };
}

const bool registered = register_subcommand({"call", "Calls an operation of an object", set_up});

}  // namespace
}  // namespace orbweaver::tools
