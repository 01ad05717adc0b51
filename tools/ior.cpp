// orbweaver ior: what a reference says, and how this host would reach it.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "base/printable.h"
#include "giop/url.h"
#include "ior_report.h"
#include "subcommand.h"

namespace orbweaver::tools {
namespace {

constexpr const char* kHelp =
    "Prints what REFERENCE says: an IOR:… or corbaloc:…, a file that holds one, or - for standard input. Then the\n"
    "roads to the object from this host: the one that a call would take, and why it would take no other. Nothing is\n"
    "connected to.\n"
    "\n"
    "Exit status: 0, or 2 where it is no reference.";

struct Asked {
  std::string reference;
  std::string preference;
  std::vector<std::string> plugins;
  bool json = false;
};

/// The text of the reference: its first word, from wherever it is. Fails with Remedy::mend.
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
    return Error{Remedy::mend, "there is no file '" + path +
                                   "', and it is no reference either: that begins with IOR: or corbaloc:"};
  }
  std::ifstream file(path);
  if (file >> text) return text;
  return Error{Remedy::mend, "the file '" + path + "' cannot be read, or is empty"};
}

Result<giop::Ior> read(const std::string& text) {
  if (!giop::is_object_url(text)) return giop::parse_ior(text);
  const auto url = giop::parse_object_url(text);
  if (!url) return Error{Remedy::mend, url.error().message};
  if (url->initial_reference || url->kind == giop::ObjectUrl::Kind::name) {
    return Error{Remedy::mend, "'" + text + "' is to be resolved by a name service: only IOR: and corbaloc: say where "
                                            "the object is"};
  }
  return giop::to_ior(*url);
}

Result<orb::Options> options_for(const Asked& asked) {
  std::vector<std::string> words{"orbweaver"};
  for (const std::string& plugin : asked.plugins) words.insert(words.end(), {"-ORBTransportPlugin", plugin});
  if (!asked.preference.empty()) words.insert(words.end(), {"-ORBTransportPreference", asked.preference});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  return orb::take_options(argc, argv.data());
}

int run(const Asked& asked) {
  const auto refuse = [](const std::string& why) {
    std::fprintf(stderr, "orbweaver ior: %s\n", printable(why).c_str());
    return kExitBadInput;
  };
  const auto text = text_of(asked.reference);
  if (!text) return refuse(text.error().message);
  const auto ior = read(*text);
  if (!ior) return refuse(ior.error().message);
  const auto options = options_for(asked);
  if (!options) return refuse(options.error().message);
  const auto report = describe(*ior, *options);
  std::cout << (asked.json ? report.dump(2) + "\n" : to_text(report));
  return 0;
}

std::function<int()> set_up(CLI::App& app) {
  const auto asked = std::make_shared<Asked>();
  app.footer(kHelp);
  app.add_option("REFERENCE", asked->reference, "The reference, a file that holds it, or -")->required();
  app.add_flag("--json", asked->json, "For programs");
  app.add_option("--preference", asked->preference, "As -ORBTransportPreference of the caller")->type_name("LIST");
  app.add_option("--transport-plugin", asked->plugins, "As -ORBTransportPlugin of the caller; may be given again")
      ->type_name("LIBRARY")
      ->allow_extra_args(false);
  return [asked] { return run(*asked); };
}

const bool registered =
    register_subcommand({"ior", "Says what an object reference holds, and how it is reached from here", set_up});

}  // namespace
}  // namespace orbweaver::tools
