// The `orbweaver` command. Each subcommand is a file of its own in this folder (subcommand.h).
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "idlc/source/edit_distance.h"
#include "subcommand.h"
#include "version.h"

namespace orbweaver::tools {
namespace {

std::map<std::string, Subcommand>& subcommands() {
  static std::map<std::string, Subcommand> all;  // constructed by the first registration
  return all;
}

/// Returns the error message if `word` is not a subcommand of `app`, or an empty string. `what` is the kind
/// of word in the message ("subcommand").
std::string problem(const CLI::App& app, const std::string& command, const std::string& word,
                    const char* what) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  if (std::find(names.begin(), names.end(), word) != names.end()) return {};
  std::string text = command + ": there is no " + what + " '" + word + "'";
  const std::string_view suggestion = idl::nearest(word, names);
  if (!suggestion.empty()) text += "; did you mean '" + std::string(suggestion) + "'?";
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return text + (suggestion.empty() ? "; there are " + all : "");
}

/// Checks the leading words of the command line, because CLI11's error does not name an unknown subcommand.
std::string unknown_subcommand(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || *argv[1] == '-') return {};
  if (std::string text = problem(app, "orbweaver", argv[1], "subcommand"); !text.empty()) return text;
  const CLI::App* group = app.get_subcommand(argv[1]);
  if (group->get_require_subcommand_min() == 0 || argc < 3 || *argv[2] == '-') return {};
  return problem(*group, std::string("orbweaver ") + argv[1], argv[2], "experiment");
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
  if (const std::string unknown = unknown_subcommand(app, argc, argv); !unknown.empty()) {
    std::fprintf(stderr, "%s\n", unknown.c_str());
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
