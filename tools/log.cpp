// orbweaver log: prints the log of a domain.
#include <memory>

#include "control_subcommands.h"
#include "follow.h"
#include "subcommand.h"

namespace orbweaver::tools {
namespace {

constexpr const char* kHelp =
    "Calls the log of a domain, which `orbweaver domain` runs, or another lightweight log service that is\n"
    "bound in the naming context of a domain.\n"
    "\n"
    "  orbweaver log follow\n"
    "  orbweaver log follow --lines 100 --json\n"
    "\n"
    "Exit status: 0 ended by Ctrl-C, SIGTERM, or the end of the reader of its output; 1 the domain has "
    "ended,\n"
    "or has no such log; 2 bad input.";

struct Arguments {
  ControlSubcommands commands{"log"};
  std::uint64_t lines = 10;
};

std::function<int()> set_up(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  app.footer(kHelp);
  app.require_subcommand(1);
  Arguments& all = *arguments;
  all.commands.operands().name = "Log";
  CLI::App* const command = all.commands.add(
      app, "follow", "Prints the last records of the log, and then each new one, until Ctrl-C",
      [&all](const sca::ControlOptions& options, const sca::ControlOperands& operands) {
        return follow("log follow", [&](const sca::FollowOutput& output) {
          return sca::follow_log(options, operands.name, all.lines, output);
        });
      });
  command->add_option("LOG", all.commands.operands().name,
                      "Name of the log in the domain's naming context (default: Log)");
  command->add_option("--lines,-n", all.lines, "Number of earlier records that are printed (default: 10)")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1'000'000'000}));
  return [arguments] { return arguments->commands.run(); };
}

const bool registered = register_subcommand({"log", "Prints the log of a domain", set_up});

}  // namespace
}  // namespace orbweaver::tools
