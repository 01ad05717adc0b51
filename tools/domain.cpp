// orbweaver domain: a domain manager of SCA 2.2.2.
#include <cstdio>
#include <memory>

#include "base/printable.h"
#include "sca/cf222/domain_server.h"
#include "sca/deployment/deployment.h"
#include "server_options.h"
#include "subcommand.h"

namespace orbweaver::tools {
namespace {

constexpr const char* kHelp =
    "Runs a domain manager (SCA 2.2.2) until Ctrl-C or SIGTERM: nodes join it, applications are installed "
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
    "\n"
    "Exit status: 0; 1 if it cannot be run; 2 bad input.";

struct Arguments {
  ServerArguments server;
  sca::DomainServerOptions domain;
};

int fail(const Error& error) {
  std::fprintf(stderr, "orbweaver domain: %s\n", printable(error.message).c_str());
  return error.kind == ErrorKind::invalid ? kExitBadInput : 1;
}

int serve(const Arguments& arguments) {
  const auto server = arguments.server.complete("domain-" + arguments.domain.name + ".sqlite");
  if (!server) return fail(server.error());
  sca::DomainServerOptions options = arguments.domain;
  options.server = *server;
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
  arguments->server.server.program = "orbweaver domain";
  add_server_options(app, arguments->server, "domain-NAME.sqlite", "domain manager");
  return [arguments] { return serve(*arguments); };
}

const bool registered = register_subcommand({"domain", "Runs a domain manager", set_up});

}  // namespace
}  // namespace orbweaver::tools
