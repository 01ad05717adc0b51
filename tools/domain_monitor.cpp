// orbweaver domain --http: the web monitor of a domain. Left out of builds without the HTTP library.
#include <cstdio>
#include <memory>

#include "domain_extension.h"
#include "monitor/monitor.h"
#include "sca/cf222/domain.h"
#include "sca/monitor/domain_source.h"
#include "sca/monitor/log_lines.h"

namespace orbweaver::tools {
namespace {

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
  commands.properties = [&domain](const std::string& component) {
    for (const sca::Application& application : domain.model().applications()) {
      for (const sca::DeployedComponent& each : application.components)
        if (each.id == component) return domain.applications().properties(application, each);
    }
    return sca::PropertyFile();
  };
  commands.log = [&domain](std::uint64_t after, std::size_t most) {
    return domain.log_records(after, most, orbweaver::sca::kMostReadBytes);
  };
  const auto made = std::make_shared<DomainMonitor>();
  made->source = std::make_unique<sca::DomainSource>(domain.orb(), domain.model(), domain.name(), commands);
  auto started = monitor::Monitor::start(options, *made->source);
  if (!started) return started.take_error();
  made->monitor = std::move(*started);
  std::printf("orbweaver domain: monitor at %s\n", made->monitor->url().c_str());
  return std::shared_ptr<void>(made);
}

DomainExtension::Complete set_up(CLI::App& app) {
  const auto options = std::make_shared<monitor::MonitorOptions>();
  const auto http = app.add_option("--http", options->address,
                                   "Serves the web monitor: PORT of 127.0.0.1, or HOST:PORT; 0: any port")
                        ->type_name("ADDRESS");
  app.add_option("--http-token-file", options->token_file, "A token for changes over HTTP (without: none)")
      ->type_name("FILE")
      ->needs(http);
  app.add_option("--http-host", options->hosts, "Another name of this host in requests; may be given again")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->needs(http);
  return [options](sca::DomainServerOptions& domain) -> Result<void> {
    if (!options->address.empty())
      domain.attach = [options](sca::Domain& served) { return start_monitor(*options, served); };
    return {};
  };
}

const bool registered = register_domain_extension({set_up});

}  // namespace
}  // namespace orbweaver::tools
