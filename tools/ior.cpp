// orbweaver ior: prints the contents of an object reference and the endpoints that this host would use.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "base/printable.h"
#include "giop/object_url.h"
#include "ior_report.h"
#include "subcommand.h"

namespace orbweaver::tools {
namespace {

constexpr const char* kHelp =
    "Prints the contents of REFERENCE: an IOR:… or corbaloc:…, a file with one, or - for standard input.\n"
    "Then prints the endpoint that a call from this host would use, and why it would use no other. Opens no\n"
    "connection.\n"
    "\n"
    "Exit status: 0, 1 if standard output cannot be written, or 2 if it is not a reference.";

struct Arguments {
  std::string reference;
  std::string preference;
  std::vector<std::string> plugins;
  bool json = false;
};

/// Returns the text of the reference from the argument, a file or standard input (its first word). Fails with
/// ErrorKind::invalid.
Result<std::string> text_of(const std::string& reference) {
  if (giop::is_object_url(reference) || reference.rfind("IOR:", 0) == 0 || reference.rfind("ior:", 0) == 0) {
    return reference;
  }
  std::string text;
  if (reference == "-") {
    std::cin >> text;
    return text;
  }
  const std::string path = reference.rfind("file://", 0) == 0 ? reference.substr(7) : reference;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return Error{ErrorKind::invalid, "there is no file '" + path +
                                         "', and it is not a reference: those begin with IOR: or corbaloc:"};
  }
  std::ifstream file(path);
  if (file >> text) return text;
  return Error{ErrorKind::invalid, "the file '" + path + "' cannot be read, or is empty"};
}

Result<giop::Ior> read(const std::string& text) {
  if (!giop::is_object_url(text)) return giop::parse_ior(text);
  const auto url = giop::parse_object_url(text);
  if (!url) return Error{ErrorKind::invalid, url.error().message};
  if (url->initial_reference || url->kind == giop::ObjectUrl::Kind::name) {
    return Error{ErrorKind::invalid,
                 "'" + text +
                     "' must be resolved by a name service: only IOR: and corbaloc: contain "
                     "an address"};
  }
  return giop::to_ior(*url);
}

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
  const auto text = text_of(arguments.reference);
  if (!text) return fail(text.error().message);
  const auto ior = read(*text);
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
  app.add_option("REFERENCE", arguments->reference, "The reference, a file with it, or -")->required();
  app.add_flag("--json", arguments->json, "Prints JSON");
  app.add_option("--preference", arguments->preference, "The caller's -ORBTransportPreference")
      ->type_name("LIST");
  app.add_option("--transport-plugin", arguments->plugins,
                 "The caller's -ORBTransportPlugin; may be given again")
      ->type_name("LIBRARY")
      ->allow_extra_args(false);
  return [arguments] { return run(*arguments); };
}

const bool registered =
    register_subcommand({"ior", "Prints an object reference and the endpoint that a call would use", set_up});

}  // namespace
}  // namespace orbweaver::tools
