// orbweaver domain: a domain manager of SCA 2.2.2.
#include <cstdio>
#include <memory>

#include "base/printable.h"
#include "control_subcommands.h"
#include "sca/cf222/domain_server.h"
#include "sca/deployment/deployment.h"
#include "server_options.h"
#include "subcommand.h"
#ifdef ORBWEAVER_MONITOR
#include "monitor/monitor.h"
#include "sca/cf222/domain.h"
#include "sca/monitor/domain_source.h"
#endif

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
    "Whoever can call a domain manager can run programs on its nodes. By default only callers on this host\n"
    "reach it; over TCP these are all local users.\n"
    "\n"
    "  orbweaver domain --root waveforms/voice\n"
    "  orbweaver domain --name lab --port 2810 --transient\n"
    "  orbweaver domain tree\n"
    "\n"
    "Exit status: 0; 1 if it cannot be run; 2 bad input.";

struct Arguments {
  ServerArguments server;
  sca::DomainServerOptions domain;
  ControlSubcommands commands{"domain"};
#ifdef ORBWEAVER_MONITOR
  monitor::MonitorOptions monitor;
#endif
};

#ifdef ORBWEAVER_MONITOR
/// The web monitor of a domain, with its source.
struct DomainMonitor {
  std::unique_ptr<sca::DomainSource> source;
  std::unique_ptr<monitor::Monitor> monitor;
};

Result<std::shared_ptr<void>> start_monitor(const monitor::MonitorOptions& options, sca::Domain& domain) {
  sca::DomainCommands commands;
  commands.start = [&domain](const std::string& id) { domain.applications().start(id); };
  commands.stop = [&domain](const std::string& id) { domain.applications().stop(id); };
  commands.release = [&domain](const std::string& id) { domain.applications().release(id); };
  commands.create = [&domain](const std::string& installed, const std::string& name) {
    domain.applications().create(installed, name, {}, {});
  };
  const auto made = std::make_shared<DomainMonitor>();
  made->source = std::make_unique<sca::DomainSource>(domain.orb(), domain.model(), domain.name(), commands);
  auto started = monitor::Monitor::start(options, *made->source);
  if (!started) return started.take_error();
  made->monitor = std::move(*started);
  std::printf("orbweaver domain: monitor at %s\n", made->monitor->url().c_str());
  return std::shared_ptr<void>(made);
}
#endif

int fail(const Error& error) {
  std::fprintf(stderr, "orbweaver domain: %s\n", printable(error.message).c_str());
  return error.kind == ErrorKind::invalid ? kExitBadInput : 1;
}

int serve(const Arguments& arguments) {
  const auto server = arguments.server.complete("domain-" + arguments.domain.name + ".sqlite");
  if (!server) return fail(server.error());
  sca::DomainServerOptions options = arguments.domain;
  options.server = *server;
#ifdef ORBWEAVER_MONITOR
  if (!arguments.monitor.address.empty()) {
    options.attach = [&arguments](sca::Domain& served) { return start_monitor(arguments.monitor, served); };
  }
#endif
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
  app.add_option("--naming", domain.naming, "A naming service, instead of hosting one")
      ->type_name("REFERENCE");
#ifdef ORBWEAVER_MONITOR
  monitor::MonitorOptions& web = arguments->monitor;
  const auto http = app.add_option("--http", web.address,
                                   "Serves the web monitor: PORT of 127.0.0.1, or HOST:PORT; 0: any port")
                        ->type_name("ADDRESS");
  app.add_option("--http-token-file", web.token_file, "A token for changes over HTTP (without: none)")
      ->type_name("FILE")
      ->needs(http);
  app.add_option("--http-host", web.hosts, "Another name of this host in requests; may be given again")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->needs(http);
#endif
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
}  // namespace orbweaver::tools
