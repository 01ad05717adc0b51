// orbweaver naming: a naming service, and commands for people that call one.
#include <cstdio>
#include <memory>

#include "base/printable.h"
#include "naming/naming_commands.h"
#include "naming/naming_server.h"
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
  naming::ServerOptions server;
  naming::CommandOptions command;
  bool transient = false;
  std::vector<std::string> orb;
};

int fail(const Error& error) {
  std::fprintf(stderr, "orbweaver naming: %s\n", printable(error.message).c_str());
  return error.kind == ErrorKind::invalid ? kExitBadInput : 1;
}

int serve(Arguments& arguments) {
  naming::ServerOptions& options = arguments.server;
  if (!arguments.transient && options.state_file.empty()) {
    auto file = naming::default_state_file();
    if (!file) return fail(file.error());
    options.state_file = *file;
  }
  for (const std::string& option : arguments.orb) {
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(
          {ErrorKind::invalid, "--orb takes OPTION=VALUE, such as CallTimeout=1000, not '" + option + "'"});
    options.orb.insert(options.orb.end(), {"-ORB" + option.substr(0, equals), option.substr(equals + 1)});
  }
  const auto served = naming::serve_names(options);
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

void add_server_options(CLI::App& app, Arguments& arguments) {
  naming::ServerOptions& server = arguments.server;
  const auto port = app.add_option("--port", server.port, "TCP port on loopback (default: 2809; 0: any)")
                        ->type_name("N")
                        ->check(CLI::Range(0, 65535));
  app.add_option("--listen", server.listen,
                 "Endpoints, as -ORBListen (default: shm,unix, and tcp on loopback)")
      ->type_name("LIST")
      ->excludes(port);
  app.add_option("--publish-host", server.publish_host, "Host in the references, as -ORBPublishHost")
      ->type_name("HOST");
  app.add_option("--allow", server.allow, "Callers that are admitted, as -ORBAllow; may be given again")
      ->type_name("RULE")
      ->allow_extra_args(false);
  app.add_option("--deny", server.deny, "Callers that are rejected, as -ORBDeny; may be given again")
      ->type_name("RULE")
      ->allow_extra_args(false);
  app.add_option("--orb", arguments.orb, "Another ORB option: Tune=max-connections=50; may be given again")
      ->type_name("OPTION=VALUE")
      ->allow_extra_args(false);
  const auto state = app.add_option("--state", server.state_file,
                                    "State file (default: orbweaver/naming.sqlite in $XDG_STATE_HOME or "
                                    "~/.local/state)")
                         ->type_name("FILE");
  app.add_flag("--transient", arguments.transient, "Keeps no state: names end with the service")
      ->excludes(state);
  app.add_flag("--print-ior", server.print_ior, "Prints the IOR of the root context");
  app.add_option("--ior-file", server.ior_file, "Writes the IOR of the root context to this file")
      ->type_name("FILE");
}

std::function<int()> set_up(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  naming::CommandOptions& options = arguments->command;
  options.service = "corbaloc::localhost/NameService";
  app.footer(kHelp);
  app.require_subcommand(0, 1);
  add_server_options(app, *arguments);
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
