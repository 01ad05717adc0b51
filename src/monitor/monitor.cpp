#include "monitor/monitor.h"

#include <algorithm>
#include <atomic>

#include "monitor/access.h"
#include "monitor/api.h"
#include "platform/ip_address.h"

namespace orbweaver::monitor {
namespace {

/// "8080" is a port of 127.0.0.1: nothing is reachable from other hosts unless an address says so.
std::string with_host(const std::string& address) {
  const bool is_port = !address.empty() && std::all_of(address.begin(), address.end(),
                                                       [](char c) { return c >= '0' && c <= '9'; });
  return (is_port ? "127.0.0.1:" : address.rfind(':', 0) == 0 ? "127.0.0.1" : "") + address;
}

bool is_loopback(const std::string& address) {
  return address.rfind("127.", 0) == 0 || address.rfind("[::1]:", 0) == 0 ||
         address.rfind("localhost:", 0) == 0;
}

class RunningMonitor : public Monitor {
 public:
  RunningMonitor(const MonitorOptions& options, Source& source, AccessRules rules)
      : rules_(std::move(rules)),
        reader_(source, options.period_ns), context_{source, reader_, rules_,
                                                     [this] { return connections(); }, options.event_streams},
        routes_(make_routes(context_)) {}

  ~RunningMonitor() override {
    reader_.stop();  // threads of connections wait for readings
    server_.reset();
  }

  Result<void> listen(const MonitorOptions& options) {
    const std::string address = with_host(options.address);
    HttpHandlers handlers{[this](const HttpRequest& request) { return check_access(request, rules_); },
                          [this](const HttpRequest& request) { return routes_.answer(request); }};
    auto server = HttpServer::start(address, options.limits, std::move(handlers));
    if (!server) return server.take_error();
    server_ = std::move(*server);
    counted_ = server_.get();
    return {};
  }

  std::string url() const override { return "http://" + server_->address() + "/"; }

 private:
  /// Called by the threads of the connections, also while the server begins and ends.
  std::size_t connections() const {
    const HttpServer* const server = counted_;
    return server == nullptr ? 0 : server->connections();
  }

  AccessRules rules_;
  Reader reader_;
  ApiContext context_;
  Routes routes_;
  std::unique_ptr<HttpServer> server_;
  std::atomic<const HttpServer*> counted_ = nullptr;  // server_, until its destructor has returned
};

}  // namespace

Result<std::unique_ptr<Monitor>> Monitor::start(const MonitorOptions& options, Source& source) {
  AccessRules rules{true, options.hosts, {}};
  if (!options.token_file.empty()) {
    auto token = read_token(options.token_file);
    if (!token) return token.take_error();
    rules.token = std::move(*token);
  }
  rules.on_loopback = is_loopback(with_host(options.address));
  auto monitor = std::make_unique<RunningMonitor>(options, source, std::move(rules));
  const auto listening = monitor->listen(options);
  if (!listening) return listening.error();
  return {std::unique_ptr<Monitor>(std::move(monitor))};
}

}  // namespace orbweaver::monitor
