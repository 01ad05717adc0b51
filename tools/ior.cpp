// orbweaver ior: prints the contents of an object reference and the endpoints that this host would use. Its
// commands build and edit references (ior_commands.h).
#include <cstdio>
#include <memory>

#include "base/printable.h"
#include "ior_commands.h"
#include "ior_input.h"
#include "ior_report.h"
#include "subcommand.h"

namespace orbweaver::tools {
namespace {

constexpr const char* kHelp =
    "Prints the contents of REFERENCE: an IOR:… or corbaloc:…, a file with one, or - for standard input.\n"
    "Then prints the endpoint that a call from this host would use, and why it would use no other. Opens no\n"
    "connection. Its commands print a new reference, and a changed one.\n"
    "\n"
    "  orbweaver ior hello.ior\n"
    "  orbweaver ior build --type IDL:Test/Hello:1.0 --address radio.example:4711 --key hello\n"
    "  orbweaver ior edit hello.ior --host 192.0.2.7 --remove 0x4f574252 >hello-from-outside.ior\n"
    "\n"
    "Exit status: 0, 1 if standard output cannot be written, or 2 if it is not a reference.";

struct Arguments {
  std::string reference;
  std::string preference;
  std::vector<std::string> plugins;
  bool json = false;
};

/// Replaces an ORB option in a message by the option of this command that sets it.
void use_own_name(std::string& message, std::string_view orb_option, std::string_view own) {
  for (std::size_t at = message.find(orb_option); at != std::string::npos; at = message.find(orb_option, at))
    message.replace(at, orb_option.size(), own);
}

Result<orb::Options> options_for(const Arguments& arguments) {
  std::vector<std::string> words{"orbweaver"};
  for (const std::string& plugin : arguments.plugins)
    words.insert(words.end(), {"-ORBTransportPlugin", plugin});
  if (!arguments.preference.empty())
    words.insert(words.end(), {"-ORBTransportPreference", arguments.preference});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  auto options = orb::parse_options(argc, argv.data());
  if (options) return options;
  std::string why = options.error().message;
  use_own_name(why, "-ORBTransportPreference", "--preference");
  use_own_name(why, "-ORBTransportPlugin", "--transport-plugin");
  return Error{options.error().kind, why};
}

int run(const Arguments& arguments) {
  const auto fail = [](const std::string& why) {
    std::fprintf(stderr, "orbweaver ior: %s\n", printable(why).c_str());
    return kExitBadInput;
  };
  if (arguments.reference.empty()) return fail("name a REFERENCE, or a command: build, edit");
  const auto ior = read_reference(arguments.reference);
  if (!ior) return fail(ior.error().message);
  const auto options = options_for(arguments);
  if (!options) return fail(options.error().message);
  const auto report = describe(*ior, *options);
  if (const std::string why = print(arguments.json ? report.dump(2) + "\n" : to_text(report)); !why.empty()) {
    fail(why);
    return kExitNotWritten;
  }
  return 0;
}

std::function<int()> set_up(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  app.footer(kHelp);
  app.require_subcommand(0, 1);
  app.add_option("REFERENCE", arguments->reference, "The reference, a file with it, or -");
  app.add_flag("--json", arguments->json, "Prints JSON");
  app.add_option("--preference", arguments->preference, "The caller's -ORBTransportPreference")
      ->type_name("LIST");
  app.add_option("--transport-plugin", arguments->plugins,
                 "The caller's -ORBTransportPlugin; may be given again")
      ->type_name("LIBRARY")
      ->allow_extra_args(false);
  const auto command = add_ior_commands(app);
  return [arguments, command] {
    if (const auto status = command()) return *status;
    return run(*arguments);
  };
}

const bool registered = register_subcommand({"ior", "Prints, builds or edits an object reference", set_up});

}  // namespace
}  // namespace orbweaver::tools
