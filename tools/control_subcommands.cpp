#include "control_subcommands.h"

#include <cstdio>

#include "base/printable.h"
#include "subcommand.h"

namespace orbweaver::tools {

CLI::App* ControlSubcommands::add(CLI::App& app, const char* name, const char* summary, Action action) {
  CLI::App* const command = app.add_subcommand(name, summary);
  command
      ->add_option("--naming", options_.naming,
                   "The naming service (default: corbaloc::localhost/NameService)")
      ->type_name("REFERENCE");
  command->add_option("--domain", options_.domain, "Name of the domain (default: orbweaver)")
      ->type_name("NAME");
  command->add_flag("--json", options_.json, "Prints JSON");
  commands_.emplace_back(command, std::move(action));
  return command;
}

bool ControlSubcommands::parsed() const {
  for (const auto& [command, action] : commands_)
    if (command->parsed()) return true;
  return false;
}

int ControlSubcommands::run() const {
  const auto fail = [this](const Error& error) {
    std::fprintf(stderr, "orbweaver %s: %s\n", subcommand_, printable_lines(error.message).c_str());
    return error.kind == ErrorKind::invalid ? kExitBadInput : 1;
  };
  for (const auto& [command, action] : commands_) {
    if (!command->parsed()) continue;
    const auto text = action(options_, operands_);
    if (!text) return fail(text.error());
    const std::string not_printed = print(*text);
    return not_printed.empty() ? 0 : fail({ErrorKind::unavailable, not_printed});
  }
  return kExitBadInput;
}

}  // namespace orbweaver::tools
