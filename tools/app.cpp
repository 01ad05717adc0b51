// orbweaver app: installs, creates, starts, changes and releases the applications of a domain.
#include <memory>
#include <string>

#include "base/printable.h"
#include "control_subcommands.h"
#include "subcommand.h"

namespace orbweaver::tools {
namespace {

constexpr const char* kHelp =
    "Calls the domain manager of a domain, which `orbweaver domain` runs, or that of another core "
    "framework.\n"
    "FILE is a name in the domain's file system. NAME and APPLICATION are names or ids. docs/domain.md\n"
    "describes the life of an application.\n"
    "\n"
    "  orbweaver app install /voice.sad.xml\n"
    "  orbweaver app create Voice --as rx_1 --assign sink_1=left:device\n"
    "  orbweaver app start rx_1\n"
    "  orbweaver app query rx_1\n"
    "  orbweaver app configure rx_1 snr_db=12\n"
    "  orbweaver app release rx_1\n"
    "\n"
    "Exit status: 0; 1 if the domain does not answer or raises an exception; 2 bad input.";

/// Replaces "on" and "off" by the words that CLI11 reads. Returns what is wrong with another text.
std::string on_or_off(std::string& text) {
  if (text != "on" && text != "off") return "'" + printable(text, 100) + "' is neither on nor off";
  text = text == "on" ? "true" : "false";
  return {};
}

void add_commands(CLI::App& app, ControlSubcommands& commands) {
  sca::ControlOperands& operands = commands.operands();
  using Function = Result<std::string> (*)(const sca::ControlOptions&, const sca::ControlOperands&);
  const auto add = [&](const char* name, const char* summary, Function function, const char* operand,
                       const char* about) {
    CLI::App* const command = commands.add(app, name, summary, function);
    command->add_option(operand, operands.name, about)->required();
    return command;
  };
  add("install", "Installs an application from its SAD", sca::install_application, "FILE",
      "The SAD, a file name in the domain's file system: /voice.sad.xml");
  commands.add(app, "list", "Prints the installed applications and those that have been created",
               [](const auto& options, const auto&) { return sca::list_applications(options); });
  CLI::App* const create = add("create", "Creates an application, which is then stopped",
                               sca::create_application, "NAME", "The installed application");
  create->add_option("--as", operands.as, "Name of the new application (default: NAME)")->type_name("NAME");
  create->add_flag("--redeploy", operands.redeploy,
                   "Creates it again on the remaining nodes when a node with components of it is lost");
  create
      ->add_option("--assign", operands.assignments,
                   "Places a component on the device with this id; may be given again")
      ->type_name("COMPONENT=DEVICE")
      ->allow_extra_args(false);
  create
      ->add_option("--set", operands.properties,
                   "Initial value of a property: gain_db:double=3 (default type: string); may be given again")
      ->type_name("ID[:TYPE]=VALUE")
      ->allow_extra_args(false);
  constexpr const char* kApplication = "APPLICATION";
  constexpr const char* kAbout = "Its name or id";
  add("redeploy", "Sets whether an application is created again when a node of it is lost",
      sca::redeploy_application, kApplication, kAbout)
      ->add_option("STATE", operands.redeploy, "on or off")
      ->required()
      ->transform(CLI::Validator(on_or_off, ""));
  add("start", "Starts an application", sca::start_application, kApplication, kAbout);
  add("stop", "Stops an application", sca::stop_application, kApplication, kAbout);
  add("configure", "Sets properties of an application", sca::configure_application, kApplication, kAbout)
      ->add_option("PROPERTY", operands.properties, "Each property as ID=VALUE")
      ->required();
  add("query", "Prints properties of an application, by default all", sca::query_application, kApplication,
      kAbout)
      ->add_option("PROPERTY", operands.properties, "The id of each property");
  add("release", "Releases an application: ends its components", sca::release_application, kApplication,
      kAbout);
  add("uninstall", "Uninstalls an application; created ones continue", sca::uninstall_application, "NAME",
      "The installed application");
}

std::function<int()> set_up(CLI::App& app) {
  const auto commands = std::make_shared<ControlSubcommands>("app");
  app.footer(kHelp);
  app.require_subcommand(1);
  add_commands(app, *commands);
  return [commands] { return commands->run(); };
}

const bool registered =
    register_subcommand({"app", "Installs, creates, starts and releases applications of a domain", set_up});

}  // namespace
}  // namespace orbweaver::tools
