// orbweaver naming: a naming service, and commands for people that call one.
#include <cstdio>
#include <memory>

#include "base/printable.h"
#include "naming/naming_commands.h"
#include "naming/naming_server.h"
#include "server_options.h"
#include "subcommand.h"

namespace orbweaver::tools {
namespace {

constexpr const char* kHelp =
    "Without a command, runs a naming service (CosNaming) until Ctrl-C or SIGTERM. Clients of any ORB on "
    "this\n"
    "host find it as corbaloc::localhost/NameService; its names survive it, in the file of --state. With a\n"
    "command, calls a naming service, of this or another ORB. docs/naming.md describes both.\n"
    "\n"
    "  orbweaver naming\n"
    "  orbweaver naming --listen shm,unix,tcp:0.0.0.0:2809 --publish-host radio.example --allow "
    "net:10.0.0.0/8\n"
    "  orbweaver naming list --recursive\n"
    "  orbweaver naming bind --parents radios/left.tuner IOR:…\n"
    "\n"
    "Exit status: 0; 1 if the service cannot be run, or cannot be called, or raises an exception; 2 bad "
    "input.";

struct Arguments {
  ServerArguments server;
  naming::CommandOptions command;
};

int fail(const Error& error) {
  std::fprintf(stderr, "orbweaver naming: %s\n", printable(error.message).c_str());
  return error.kind == ErrorKind::invalid ? kExitBadInput : 1;
}

int serve(const Arguments& arguments) {
  const auto options = arguments.server.complete("naming.sqlite");
  if (!options) return fail(options.error());
  const auto served = naming::serve_names(*options);
  return served ? 0 : fail(served.error());
}

using Action = Result<std::string> (*)(const naming::CommandOptions&);

int call(Action action, const naming::CommandOptions& options) {
  const auto text = action(options);
  if (!text) return fail(text.error());
  const std::string why = print(*text);
  return why.empty() ? 0 : fail({ErrorKind::unavailable, why});
}

/// Adds a command. `name_required`: whether NAME may be omitted.
CLI::App* add_command(CLI::App& app, naming::CommandOptions& options, const char* command,
                      const char* summary, bool name_required) {
  CLI::App* const sub = app.add_subcommand(command, summary);
  sub->add_option("NAME", options.name, "The name, such as radios/left.tuner")->required(name_required);
  sub->add_option("--service", options.service,
                  "The naming service (default: corbaloc::localhost/NameService)")
      ->type_name("REFERENCE");
  sub->add_flag("--json", options.json, "Prints JSON");
  return sub;
}

std::function<int()> set_up(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  naming::CommandOptions& options = arguments->command;
  options.service = "corbaloc::localhost/NameService";
  app.footer(kHelp);
  app.require_subcommand(0, 1);
  arguments->server.server.program = "orbweaver naming";
  add_server_options(app, arguments->server, "naming.sqlite", "root context");
  std::vector<std::pair<CLI::App*, Action>> commands;
  const auto add = [&](const char* name, const char* summary, Action action, bool name_required = true) {
    commands.emplace_back(add_command(app, options, name, summary, name_required), action);
    return commands.back().first;
  };
  add("list", "Prints the bindings of a context; contexts end with '/'", naming::list_bindings, false)
      ->add_flag("--recursive,-r", options.recursive, "The bindings of the contexts, too");
  add("resolve", "Prints the reference bound to a name", naming::resolve_name);
  CLI::App* const bind = add("bind", "Binds a name to an object", naming::bind_name);
  bind->add_option("REFERENCE", options.reference, "IOR:…, corbaloc:… or file://…")->required();
  bind->add_flag("--replace", options.replace, "Replaces an existing binding");
  bind->add_flag("--context", options.context, "The object is a naming context, and takes part in names");
  add("unbind", "Removes a binding", naming::unbind_name);
  CLI::App* const create = add("new", "Creates a context and binds it", naming::new_context);
  for (CLI::App* const each : {bind, create})
    each->add_flag("--parents,-p", options.parents, "Creates missing contexts of the name");
  add("destroy", "Destroys an empty context and removes its binding", naming::destroy_context);
  return [arguments, commands] {
    for (const auto& [command, action] : commands)
      if (command->parsed()) return call(action, arguments->command);
    return serve(*arguments);
  };
}

const bool registered =
    register_subcommand({"naming", "Runs a naming service, or lists, resolves and binds names", set_up});

}  // namespace
}  // namespace orbweaver::tools
