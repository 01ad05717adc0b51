// The `orbweaver` command. Each subcommand is a file of its own beside this one (subcommand.h).
#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>

#include "subcommand.h"
#include "version.h"

namespace orbweaver::tools {
namespace {

std::map<std::string, Subcommand>& subcommands() {
  static std::map<std::string, Subcommand> all;  // made by the first who registers
  return all;
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
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : kExitBadInput;
  }
  return status;
}

}  // namespace

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
