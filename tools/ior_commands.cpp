// orbweaver ior build and orbweaver ior edit: print a new reference, and a changed one.
#include "ior_commands.h"

#include <cstdio>
#include <memory>

#include "base/printable.h"
#include "ior_changes.h"
#include "ior_input.h"
#include "subcommand.h"

namespace orbweaver::tools {
namespace {

struct Arguments {
  IorParts parts;
  IorEdits edits;
  std::string reference;
  const CLI::App* build = nullptr;
  const CLI::App* edit = nullptr;
};

int report(const char* command, const std::string& why, int status) {
  std::fprintf(stderr, "orbweaver ior %s: %s\n", command, printable(why).c_str());
  return status;
}

int print_reference(const char* command, const Result<giop::Ior>& ior) {
  if (!ior) return report(command, ior.error().message, kExitBadInput);
  const std::string why = print(giop::stringify(*ior) + "\n");
  return why.empty() ? 0 : report(command, why, kExitNotWritten);
}

void add_build(CLI::App& app, Arguments& arguments) {
  CLI::App& command = *app.add_subcommand("build", "Prints a new reference");
  IorParts& parts = arguments.parts;
  command
      .add_option("--address", parts.addresses,
                  "The object's address; may be given again (default port: 2809)")
      ->type_name("HOST:PORT")
      ->allow_extra_args(false)
      ->required();
  command.add_option("--key", parts.key, "The object key, as in a corbaloc URL: %00 is an octet 0")
      ->type_name("KEY")
      ->required();
  command.add_option("--type", parts.type_id, "Repository id of the interface, such as IDL:Test/Hello:1.0")
      ->type_name("ID");
  command.add_option("--iiop", parts.version, "Version of the profiles: 1.0, 1.1 or 1.2 (the default)")
      ->type_name("VERSION");
  command
      .add_option("--component", parts.components,
                  std::string("Adds a component to each profile: ") + kComponentForms)
      ->type_name("COMPONENT")
      ->allow_extra_args(false);
  command.add_flag("--profile-each", parts.profile_each,
                   "Writes a profile for each address, instead of alternate addresses");
  arguments.build = &command;
}

void add_edit(CLI::App& app, Arguments& arguments) {
  CLI::App& command = *app.add_subcommand("edit", "Prints a reference with changes");
  IorEdits& edits = arguments.edits;
  command.add_option("REFERENCE", arguments.reference, "The reference, a file with it, or -")->required();
  command.add_option("--type", edits.type_id, "Sets the repository id of the interface")->type_name("ID");
  command
      .add_option("--profile", edits.profile,
                  "Changes only this profile, from 1 (default: every IIOP profile)")
      ->type_name("N");
  command.add_option("--host", edits.host, "Sets the host")->type_name("HOST");
  command.add_option("--port", edits.port, "Sets the port; 0 for none")->type_name("PORT");
  command.add_option("--key", edits.key, "Sets the object key, as in a corbaloc URL")->type_name("KEY");
  command.add_option("--iiop", edits.version, "Sets the version: 1.0, 1.1 or 1.2")->type_name("VERSION");
  command
      .add_option("--remove", edits.removed, "Removes the components of a name or tag; may be given again")
      ->type_name("COMPONENT")
      ->allow_extra_args(false);
  command.add_option("--add", edits.added, std::string("Adds a component: ") + kComponentForms)
      ->type_name("COMPONENT")
      ->allow_extra_args(false);
  command
      .add_option("--order", edits.order,
                  "The profiles of the result by their numbers: 2,1; others are left out")
      ->type_name("N,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  arguments.edit = &command;
}

}  // namespace

std::function<std::optional<int>()> add_ior_commands(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  add_build(app, *arguments);
  add_edit(app, *arguments);
  return [arguments]() -> std::optional<int> {
    if (arguments->build->parsed()) return print_reference("build", build_ior(arguments->parts));
    if (!arguments->edit->parsed()) return std::nullopt;
    auto ior = read_reference(arguments->reference);
    if (!ior) return report("edit", ior.error().message, kExitBadInput);
    return print_reference("edit", edit_ior(std::move(*ior), arguments->edits));
  };
}

}  // namespace orbweaver::tools
