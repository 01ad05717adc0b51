// orbweaver event: prints the events of a domain.
#include <memory>

#include "control_subcommands.h"
#include "follow.h"
#include "subcommand.h"

namespace orbweaver::tools {
namespace {

constexpr const char* kHelp =
    "Calls the event channels of a domain, which `orbweaver domain` runs, or another core framework.\n"
    "\n"
    "  orbweaver event follow\n"
    "  orbweaver event follow ODM_Channel --json\n"
    "\n"
    "Exit status: 0 ended by Ctrl-C, SIGTERM, or the end of the reader of its output; 1 the domain has "
    "ended,\n"
    "or has no such channel; 2 bad input.";

std::function<int()> set_up(CLI::App& app) {
  const auto commands = std::make_shared<ControlSubcommands>("event");
  app.footer(kHelp);
  app.require_subcommand(1);
  commands
      ->add(app, "follow", "Prints events from now on, a line each, until Ctrl-C",
            [](const sca::ControlOptions& options, const sca::ControlOperands& operands) {
              const auto channels =
                  operands.name.empty() ? sca::standard_channels() : std::vector<std::string>{operands.name};
              return follow("event follow", [&](const sca::FollowOutput& output) {
                return sca::follow_events(options, channels, output);
              });
            })
      ->add_option("CHANNEL", commands->operands().name,
                   "Name of the channel in the domain's naming context (default: IDM_Channel and "
                   "ODM_Channel)");
  return [commands] { return commands->run(); };
}

const bool registered = register_subcommand({"event", "Prints the events of a domain", set_up});

}  // namespace
}  // namespace orbweaver::tools
