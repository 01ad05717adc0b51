// orbweaver domain: a domain manager of SCA 2.2.2 and 4.1.
#include <cstdio>
#include <memory>
#include <vector>

#include "base/printable.h"
#include "control_subcommands.h"
#include "domain_extension.h"
#include "sca/cf222/domain_server.h"
#include "sca/cf41/facade.h"
#include "sca/deployment/deployment.h"
#include "server_options.h"
#include "subcommand.h"

namespace orbweaver::tools {
namespace {

constexpr const char* kHelp =
    "Without a command, runs a domain manager (SCA 2.2.2) until Ctrl-C or SIGTERM: nodes join it, "
    "applications are installed "
    "in\n"
    "it and created on their devices. It hosts a naming service, in which it is bound as NAME/NAME, unless\n"
    "--naming names another one. Nodes and applications continue when it ends, and are found again when it "
    "is\n"
    "started with the same state and name. docs/domain.md describes it.\n"
    "\n"
    "--state etcd://HOST:PORT,... keeps the state in an etcd: domain managers on several hosts share it, of\n"
    "which one leads, and another one goes on when it ends.\n"
    "\n"
    "Whoever can call a domain manager can run programs on its nodes. By default these are this user and\n"
    "root, on this host.\n"
    "\n"
    "  orbweaver domain --root waveforms/voice\n"
    "  orbweaver domain --name lab --port 2810 --transient\n"
    "  orbweaver domain --state etcd://a.example,b.example --listen shm,unix,tcp:0.0.0.0:2809 \\\n"
    "    --publish-host a.example --allow net:10.0.0.0/8\n"
    "  orbweaver domain tree\n"
    "\n"
    "Exit status: 0; 1 if it cannot be run; 2 bad input.";

struct Arguments {
  ServerArguments server;
  sca::DomainServerOptions domain;
  ControlSubcommands commands{"domain"};
  std::vector<DomainExtension::Complete> extensions;
};

std::vector<DomainExtension>& extensions() {
  static std::vector<DomainExtension> all;  // constructed by the first registration
  return all;
}

int fail(const Error& error) {
  std::fprintf(stderr, "orbweaver domain: %s\n", printable_lines(error.message).c_str());
  return error.kind == ErrorKind::invalid ? kExitBadInput : 1;
}

int serve(const Arguments& arguments) {
  const auto server = arguments.server.complete("domain-" + arguments.domain.name + ".sqlite");
  if (!server) return fail(server.error());
  sca::DomainServerOptions options = arguments.domain;
  options.server = *server;
  options.facades = {sca::facade_of_sca41()};
  for (const auto& complete : arguments.extensions)
    if (auto completed = complete(options); !completed) return fail(completed.error());
  if (!options.shared_state && options.server.state_file.find("://") != std::string::npos) {
    return fail(
        {ErrorKind::invalid, "--state " + options.server.state_file +
                                 ": is no file, and this program has no state in etcd, because it was "
                                 "built without cpp-httplib (Debian: libcpp-httplib-dev)"});
  }
  const sca::DeploymentFunctions functions{
      sca::deploy,
      [](sca::Application& record, sca::DeploymentDomain& domain) { return sca::undeploy(record, domain); },
      [](const sca::Application& record, sca::DeploymentDomain& domain) {
        sca::start_components(record, domain);
      },
      [](const sca::Application& record, sca::DeploymentDomain& domain) {
        sca::stop_components(record, domain);
      }};
  const auto served = sca::serve_domain(options, functions);
  return served ? 0 : fail(served.error());
}

std::function<int()> set_up(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  sca::DomainServerOptions& domain = arguments->domain;
  app.footer(kHelp);
  app.add_option("--name", domain.name, "Name of the domain (default: orbweaver)");
  app.add_option("--root", domain.root, "Folder of the domain's files (default: the current one)")
      ->type_name("FOLDER");
  app.add_option("--profile", domain.profile,
                 "Its profile (DMD), a file name in that folder: /domain.dmd.xml")
      ->type_name("NAME");
  app.add_flag("--redeploy", domain.redeploy,
               "Creates applications of lost nodes again on the remaining ones");
  app.add_option("--naming", domain.naming, "A naming service, instead of hosting one")
      ->type_name("REFERENCE");
  for (const DomainExtension& each : extensions()) arguments->extensions.push_back(each.set_up(app));
  arguments->server.server.program = "orbweaver domain";
  add_server_options(app, arguments->server, "domain-NAME.sqlite", "domain manager");
  app.require_subcommand(0, 1);
  ControlSubcommands& commands = arguments->commands;
  commands.add(app, "list", "Prints the names of the domains in a naming service",
               [](const auto& options, const auto&) { return sca::list_domains(options); });
  commands.add(app, "tree", "Prints the nodes, devices, applications and components of a domain",
               [](const auto& options, const auto&) { return sca::show_tree(options); });
  commands.add(app, "show", "Prints a node, device or application", sca::show_object)
      ->add_option("ID", commands.operands().name, "Its id or name")
      ->required();
  return [arguments] { return arguments->commands.parsed() ? arguments->commands.run() : serve(*arguments); };
}

const bool registered =
    register_subcommand({"domain", "Runs a domain manager, or shows what a domain has", set_up});

}  // namespace

bool register_domain_extension(DomainExtension extension) {
  extensions().push_back(std::move(extension));
  return true;
}

}  // namespace orbweaver::tools
