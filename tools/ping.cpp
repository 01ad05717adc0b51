// orbweaver ping: asks an object whether it exists.
#include "call/ping_command.h"

#include <cstdio>
#include <memory>

#include "base/printable.h"
#include "reference_argument.h"
#include "subcommand.h"

namespace orbweaver::tools {
namespace {

constexpr const char* kHelp =
    "Asks an object of any ORB whether it exists, by the operation _non_existent, and prints the time of "
    "each\n"
    "reply. REFERENCE is an IOR:…, corbaloc:… or corbaname:…, a file with one, - for standard input, or a "
    "name\n"
    "in the naming service.\n"
    "\n"
    "Exit status: 0 if the object exists and replied each time, otherwise 1; 2 bad input.";

struct Arguments {
  call::PingOptions ping;
  std::string reference;
  std::string naming = kLocalNaming;
};

int fail(const Error& error) {
  std::fprintf(stderr, "orbweaver ping: %s\n", printable(error.message).c_str());
  return error.kind == ErrorKind::invalid ? kExitBadInput : 1;
}

int run(Arguments& arguments) {
  auto reference = find_reference(arguments.reference, arguments.naming, arguments.ping.target);
  if (!reference) return fail(reference.error());
  arguments.ping.target.reference = std::move(*reference);
  const auto exists = call::ping_object(arguments.ping, print);
  if (!exists) return fail(exists.error());
  return *exists ? 0 : 1;
}

std::function<int()> set_up(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  call::PingOptions& options = arguments->ping;
  options.target.timeout_ms = 5'000;
  app.footer(kHelp);
  app.add_option("REFERENCE", arguments->reference, "The object")->required();
  app.add_option("--count,-c", options.count, "The number of requests (default: 4)")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{1}, std::uint32_t{1'000'000}));
  app.add_option("--interval", options.interval_ms, "The time between them (default: 200)")->type_name("MS");
  app.add_option("--timeout", options.target.timeout_ms, "The time limit of each; 0: none (default: 5000)")
      ->type_name("MS");
  app.add_option("--naming", arguments->naming,
                 "The naming service of names (default: corbaloc::localhost/NameService)")
      ->type_name("REFERENCE");
  app.add_option("--orb", options.target.orb, "Another ORB option, without its -ORB; may be given again")
      ->type_name("OPTION=VALUE")
      ->allow_extra_args(false);
  return [arguments] { return run(*arguments); };
}

const bool registered = register_subcommand({"ping", "Asks an object whether it exists", set_up});

}  // namespace
}  // namespace orbweaver::tools
