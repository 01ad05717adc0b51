// The `orbweaver` command. Each subcommand is a file of its own in this folder (subcommand.h).
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "command_words.h"
#include "complete.h"
#include "manual.h"
#include "subcommand.h"
#include "version.h"

namespace orbweaver::tools {
namespace {

std::map<std::string, Subcommand>& subcommands() {
  static std::map<std::string, Subcommand> all;  // constructed by the first registration
  return all;
}

const std::string& command_kind(const std::string& subcommand) {
  return subcommands().at(subcommand).command_kind;
}

int run(int argc, char** argv) {
  CLI::App app{"Orbweaver, an object request broker for software-defined systems.", "orbweaver"};
  app.set_version_flag("--version", std::string("orbweaver ") + kVersion, "Prints the version");
  app.require_subcommand(1);
  app.failure_message([](const CLI::App*, const CLI::Error& e) {
    return std::string("orbweaver: ") + e.what() +
           "\nTry `orbweaver --help`, or `orbweaver SUBCOMMAND --help`.\n";
  });
  int status = 0;
  for (const auto& [name, subcommand] : subcommands()) {
    CLI::App* sub = app.add_subcommand(name, subcommand.summary);
    const auto action = subcommand.set_up(*sub);
    sub->callback([action, &status] { status = action(); });
  }
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words[0] == "complete") return complete(app, {words.begin() + 1, words.end()});
  if (words == std::vector<std::string>{"manual"}) return print_manual(app);
  if (const std::string mistake = mistake_in_command(app, words, command_kind); !mistake.empty()) {
    std::fprintf(stderr, "%s\n", mistake.c_str());
    return kExitBadInput;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : kExitBadInput;
  }
  return status;
}

}  // namespace

std::string print(const std::string& text) {
  const bool printed =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  return printed ? "" : std::string("standard output cannot be written: ") + std::strerror(errno);
}

bool register_subcommand(Subcommand subcommand) {
  const std::string name = subcommand.name;
  return subcommands().emplace(name, std::move(subcommand)).second;
}

}  // namespace orbweaver::tools

int main(int argc, char** argv) {
  try {
    return orbweaver::tools::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "orbweaver: %s\n", e.what());
    return 1;
  }
}
