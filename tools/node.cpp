// orbweaver node: runs the devices of this machine as a node of a domain.
#include <cstdio>
#include <memory>

#include "base/printable.h"
#include "control_subcommands.h"
#include "sca/node/node_server.h"
#include "subcommand.h"

namespace orbweaver::tools {
namespace {

constexpr const char* kHelp =
    "Runs a node of a domain until Ctrl-C, SIGTERM or the shutdown of its device manager: starts the "
    "devices\n"
    "and services of FILE, a device configuration (DCD) of SCA 2.2.2, and registers them with the domain\n"
    "manager that it names. The node waits for the domain, and joins again when the domain has been "
    "restarted.\n"
    "Without FILE, the node has one device, which executes components on this machine, and the name of the\n"
    "host. docs/domain.md describes nodes and devices.\n"
    "\n"
    "  orbweaver node\n"
    "  orbweaver node left.dcd.xml --root /srv/radio --naming corbaloc::radio.example/NameService\n"
    "\n"
    "Exit status: 0; 1 if the node cannot be run; 2 bad input.";

int fail(const Error& error) {
  std::fprintf(stderr, "orbweaver node: %s\n", printable_lines(error.message).c_str());
  return error.kind == ErrorKind::invalid ? kExitBadInput : 1;
}

struct Arguments {
  sca::NodeOptions node;
  std::vector<std::string> orb;
  ControlSubcommands commands{"node"};
};

int run(Arguments& arguments) {
  for (const std::string& option : arguments.orb) {
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(
          {ErrorKind::invalid, "--orb takes OPTION=VALUE, such as CallTimeout=1000, not '" + option + "'"});
    arguments.node.orb.insert(arguments.node.orb.end(),
                              {"-ORB" + option.substr(0, equals), option.substr(equals + 1)});
  }
  const auto ended = sca::run_node(arguments.node);
  return ended ? *ended : fail(ended.error());
}

std::function<int()> set_up(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  sca::NodeOptions& node = arguments->node;
  node.naming = "corbaloc::localhost/NameService";
  app.footer(kHelp);
  app.add_option("FILE", node.dcd, "The node: a .dcd.xml file");
  app.add_option("--name", node.name,
                 "Label of the node, and part of its ids, so that several nodes can use one FILE")
      ->type_name("NAME");
  app.add_option("--root", node.root,
                 "Folder of the node's file system, at which absolute file names in profiles start (default: "
                 "that of FILE, readonly)")
      ->type_name("FOLDER");
  app.add_option("--naming", node.naming, "The naming service (default: corbaloc::localhost/NameService)")
      ->type_name("REFERENCE");
  app.add_option("--domain", node.domain, "Name of the domain manager there (default: that of FILE)")
      ->type_name("NAME");
  app.add_option("--listen", node.listen,
                 "Endpoints of the node and, with other ports, of its devices, as -ORBListen (default: "
                 "shm,unix)")
      ->type_name("LIST");
  app.add_option("--publish-host", node.publish_host, "Host in the references, as -ORBPublishHost")
      ->type_name("HOST");
  app.add_option("--orb", arguments->orb, "Another ORB option: Tune=max-connections=50; may be given again")
      ->type_name("OPTION=VALUE")
      ->allow_extra_args(false);
  app.require_subcommand(0, 1);
  arguments->commands.add(app, "list", "Prints the nodes of a domain and their devices",
                          [](const auto& options, const auto&) { return sca::list_nodes(options); });
  return [arguments] { return arguments->commands.parsed() ? arguments->commands.run() : run(*arguments); };
}

const bool registered =
    register_subcommand({"node", "Runs the devices of this machine as a node of a domain", set_up});

}  // namespace
}  // namespace orbweaver::tools
