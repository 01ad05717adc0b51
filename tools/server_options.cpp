#include "server_options.h"

#include "server/server_process.h"

namespace orbweaver::tools {

Result<server::ServerOptions> ServerArguments::complete(const std::string& default_state) const {
  server::ServerOptions options = server;
  if (!transient && options.state_file.empty()) {
    auto file = server::default_state_file(default_state);
    if (!file) return file.take_error();
    options.state_file = *file;
  }
  for (const std::string& option : orb) {
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos || equals == 0)
      return Error{ErrorKind::invalid,
                   "--orb takes OPTION=VALUE, such as CallTimeout=1000, not '" + option + "'"};
    options.orb.insert(options.orb.end(), {"-ORB" + option.substr(0, equals), option.substr(equals + 1)});
  }
  return options;
}

void add_server_options(CLI::App& app, ServerArguments& arguments, const std::string& state,
                        const std::string& object) {
  server::ServerOptions& server = arguments.server;
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
  const auto file =
      app.add_option("--state", server.state_file,
                     "State file (default: orbweaver/" + state + " in $XDG_STATE_HOME or ~/.local/state)")
          ->type_name("FILE");
  app.add_flag("--transient", arguments.transient, "Keeps no state: it ends with the service")
      ->excludes(file);
  app.add_flag("--print-ior", server.print_ior, "Prints the IOR of the " + object);
  app.add_option("--ior-file", server.ior_file, "Writes the IOR of the " + object + " to this file")
      ->type_name("FILE");
}

}  // namespace orbweaver::tools
