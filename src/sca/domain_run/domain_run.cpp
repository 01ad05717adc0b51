#include "sca/domain_run/domain_run.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <orbweaver/deadline.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/printable.h"
#include "base/temporary_folder.h"
#include "platform/file_size_signal.h"
#include "platform/process.h"
#include "sca/deploy/overrides.h"
#include "sca/device/machine.h"
#include "sca/domain_run/domain_assembly.h"
#include "sca/domain_run/domain_files.h"
#include "sca/launch/console.h"
#include "sca/launch/lifecycle_driver.h"
#include "sca/launch/program_kind.h"
#include "sca/launch/supervisor.h"
#include "sca/node/node_server.h"
#include "sca/profile/edition.h"
#include "sca/profile/node_configuration.h"

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;

/// Time that components have to end after they were asked to.
constexpr int kGraceMs = 5000;
/// Time that nodes have to end, and their devices before them.
constexpr int kNodeExitMs = 15'000;
constexpr int kEventPollMs = 20;
constexpr int kRepeatedSignalMs = 500;
/// Time in which the end of a process, or the loss of a node, is reported to the domain manager.
constexpr int kCauseMs = 3000;
/// Time from the loss of a node's connections to the end of its process.
constexpr int kNodeEndMs = 200;

struct PlannedNode {
  std::vector<std::string> arguments;  // of `orbweaver node`
  std::string label;
  std::size_t devices = 0;
};

Result<std::vector<PlannedNode>> plan_nodes(const std::vector<std::string>& files) {
  std::vector<PlannedNode> nodes;
  std::map<std::string, std::size_t> uses;
  const auto add = [&](const std::string& file, const std::string& label) -> Result<void> {
    const auto node = load_node(file);
    if (!node) return node.error();
    PlannedNode planned;
    planned.label = label.empty() ? node->name : label;
    if (label.empty()) planned.arguments.push_back(file);
    if (const std::size_t use = ++uses[fs::absolute(file).lexically_normal().string()]; use > 1) {
      planned.label += "-" + std::to_string(use);
      planned.arguments.insert(planned.arguments.end(), {"--name", planned.label});
    }
    for (const NodeComponent& component : node->components) planned.devices += component.is_device ? 1 : 0;
    nodes.push_back(std::move(planned));
    return {};
  };
  for (const std::string& file : files) {
    if (file.empty()) return Error{ErrorKind::invalid, "--node is empty; give the file of a DCD"};
    if (auto added = add(file, {}); !added) return added.take_error();
  }
  if (files.empty()) {
    // The node of `orbweaver node` without a file has the name of the host.
    if (auto added = add(default_dcd(), read_machine().host); !added) return added.take_error();
  }
  return nodes;
}

/// Whether a program of the assembly is one of another ORB, which can be called over TCP only.
bool has_foreign_program(const Assembly& assembly) {
  std::error_code ignored;
  for (const SoftwarePackage& package : assembly.packages) {
    for (const Implementation& each : package.implementations) {
      if (each.code == CodeType::executable && fs::is_regular_file(each.file, ignored) &&
          !is_orbweaver_program(each.file))
        return true;
    }
  }
  return false;
}

/// Rejects components of SCA 4.1 that a domain would create as such: they report no statistics.
Result<void> check_editions(const Assembly& assembly) {
  for (std::size_t i = 0; i < assembly.components.size(); ++i) {
    const Instantiation& component = assembly.components[i];
    const bool is_41 = is_sca41(assembly.package_of(i).component);
    if (!is_41 && !(component.factory && component.factory->is_sca41)) continue;
    return Error{
        ErrorKind::invalid,
        component.where.text() + ": component '" + component.id + "' is " +
            (is_41 ? "of SCA 4.1" : "created by a component factory of SCA 4.1") +
            ", and has no statistics that `orbweaver run --domain` could read: leave out --domain, or "
            "create the application in a domain (orbweaver domain, node and app)"};
  }
  return {};
}

/// One run: the nodes, on the main thread, and the domain.
class DomainRun {
 public:
  DomainRun(const DomainRunOptions& options, Assembly assembly, std::string root,
            std::vector<PlannedNode> nodes)
      : options_(options), nodes_(std::move(nodes)), observed_(assembly), cache_("orbweaver-run"),
        console_(options.launch.quiet, platform::stderr_is_terminal()),
        supervisor_([this](const std::string& name, const std::string& line) { print(name, line); }) {
    result_.assembly = assembly.name;
    result_.sad = options.launch.sad;
    result_.realtime = options.launch.realtime;
    result_.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    for (const Instantiation& each : assembly.components) {
      ComponentResult component;
      component.id = each.id;
      component.name = each.name;
      result_.components.push_back(std::move(component));
    }
    domain_.root = std::move(root);
    domain_.nodes = nodes_.size();
    domain_.devices = 0;
    for (const PlannedNode& node : nodes_) domain_.devices += node.devices;
    domain_.orb = {"-ORBListen",
                   has_foreign_program(assembly) ? "inproc,shm,unix,tcp:127.0.0.1:0" : "inproc,shm,unix"};
    for (const auto& [component, device] : options.assignments)
      domain_.assignments.emplace_back(component, device);
    domain_.assembly = std::move(assembly);
  }

  Result<LaunchResult> run() {
    if (cache_.path().empty())
      return Error{ErrorKind::unavailable,
                   "a temporary folder for the code of the components cannot be made; check TMPDIR"};
    for (const std::string& warning : observed_.assembly.warnings) console_.line("warning: " + warning);
    {
      DomainAssembly application(observed_, result_, std::move(domain_));
      if (start_nodes(application)) {
        LifecycleDriver driver(application, observed_.assembly, result_);
        watch(application, driver);
        result_.seconds = driver.seconds();
        if (driver.failed_unreachable()) wait_for_cause(application);
        if (const std::string failure = driver.failure(); !failure.empty()) fail(failure);
      }
      // The nodes unregister at the domain manager.
      nodes_may_end_ = true;
      supervisor_.terminate_all();
      supervisor_.shut_down_all(kNodeExitMs, kGraceMs);
      check_nodes();
    }
    console_.clear();
    if (result_.outcome == Outcome::interrupted)
      console_.line("stopped by " + platform::signal_name(signal_));
    const int status = result_.outcome == Outcome::failed ? kExitFailed : signal_ != 0 ? 128 + signal_ : 0;
    return LaunchResult{std::move(result_), status};
  }

 private:
  /// Prints a line of a node, without what is the same in every run.
  void print(const std::string& node, const std::string& text) {
    static constexpr std::string_view kProgram = "orbweaver node: ";
    const std::string line = text.starts_with(kProgram) ? text.substr(kProgram.size()) : text;
    if (line.starts_with("node " + node + " with ") || line.starts_with("the node has joined the domain") ||
        line.starts_with("all its devices and services are registered"))
      return;
    console_.line(node + ": " + without_control_characters(line));
  }

  bool start_nodes(DomainAssembly& application) {
    for (const PlannedNode& node : nodes_) {
      platform::SpawnRequest request;
      request.program = options_.node_program;
      request.arguments = {"node"};
      request.arguments.insert(request.arguments.end(), node.arguments.begin(), node.arguments.end());
      request.arguments.insert(request.arguments.end(), {"--naming", application.naming_context(), "--domain",
                                                         application.domain_name()});
      request.leads_group = true;  // a signal of the terminal is for the launcher, which stops them in order
      request.extra_environment = {"XDG_CACHE_HOME=" + cache_.path().string()};
      if (const auto started = supervisor_.start(node.label, request); !started) {
        fail(started.error().message);
        return false;
      }
    }
    return true;
  }

  /// Handles signals, ended nodes, the failure of the application and the driver's notices until the driver
  /// is done.
  void watch(DomainAssembly& application, LifecycleDriver& driver) {
    while (!driver.done()) {
      supervisor_.handle_events(kEventPollMs);
      handle_stop_signal(application, driver);
      if (check_nodes() || check_application(application)) cancel(application, driver);
      for (const std::string& notice : driver.take_notices()) console_.line(notice);
      if (const std::string failure = driver.failure(); !failure.empty() && !driver.failed_unreachable())
        fail(failure);
      enforce_grace_period(application, driver);
      console_.progress(progress_line(driver));
    }
  }

  /// Reports nodes that have ended too early. Returns whether there is a new one.
  bool check_nodes() {
    bool has_ended = false;
    for (std::size_t n = 0; n < supervisor_.size(); ++n) {
      const auto& end = supervisor_.end(n);
      if (!end || !handled_ends_.insert(n).second) continue;
      const bool killed_by_us = all_killed_ && end->signalled;
      if (killed_by_us || (nodes_may_end_ && end->clean())) continue;
      fail(fmt::format("node {} (process {}) {}", nodes_[n].label, supervisor_.pid(n),
                       platform::describe(*end)));
      has_ended = true;
    }
    return has_ended;
  }

  bool check_application(const DomainAssembly& application) {
    if (application_failed_) return false;
    const std::string failure = application.application_failure();
    if (failure.empty()) return false;
    application_failed_ = true;
    // The end of a node says more than its loss, and becomes known after it.
    const auto deadline = Deadline::in_ms(kNodeEndMs);
    while (!check_nodes() && !deadline.passed()) supervisor_.handle_events(kEventPollMs);
    fail(printable(failure));
    return true;
  }

  void cancel(DomainAssembly& application, LifecycleDriver& driver) {
    driver.cancel();
    application.abandon_creation();
    if (!grace_deadline_) grace_deadline_ = Deadline::in_ms(kGraceMs);
  }

  /// As Launcher: the first signal stops the application, and a second one, at least kRepeatedSignalMs later,
  /// kills all processes.
  void handle_stop_signal(DomainAssembly& application, LifecycleDriver& driver) {
    const int signal = supervisor_.take_stop_signal();
    if (signal == 0) return;
    if (signal_ != 0 && repeat_window_.passed()) kill_all();
    if (signal_ == 0) repeat_window_ = Deadline::in_ms(kRepeatedSignalMs);
    signal_ = signal;
    if (result_.outcome == Outcome::completed) result_.outcome = Outcome::interrupted;
    cancel(application, driver);
  }

  /// Ends a component that has not stopped within the grace period.
  void enforce_grace_period(DomainAssembly& application, const LifecycleDriver& driver) {
    if (!grace_deadline_ && driver.phase() >= LifecycleDriver::Phase::stopping)
      grace_deadline_ = Deadline::in_ms(kGraceMs);
    if (!grace_deadline_ || !grace_deadline_->passed()) return;
    grace_deadline_ = Deadline::in_ms(kGraceMs);
    const std::size_t component = application.called_component();
    if (component == LaunchedAssembly::kNoComponent) return kill_all();
    const std::string& id = observed_.assembly.components[component].id;
    if (result_.outcome == Outcome::interrupted) {
      console_.line("component " + id + " does not stop: killing it");
    } else {
      fail("component " + id + " did not stop within " + std::to_string(kGraceMs / 1000) +
           " s and was killed");
    }
    if (!application.terminate(component)) kill_all();
  }

  /// The kernel kills the devices and the components with their nodes.
  void kill_all() {
    all_killed_ = true;
    supervisor_.kill_all();
  }

  /// Waits until the domain knows why a call got no reply.
  void wait_for_cause(const DomainAssembly& application) {
    const auto deadline = Deadline::in_ms(kCauseMs);
    while (result_.outcome == Outcome::completed && !deadline.passed()) {
      supervisor_.handle_events(kEventPollMs);
      check_nodes();
      check_application(application);
    }
  }

  /// Only the first failure is reported: later ones follow from it. After a signal the run is interrupted,
  /// whatever fails then.
  void fail(const std::string& message) {
    if (result_.outcome == Outcome::failed || all_killed_) return;
    if (result_.outcome == Outcome::interrupted) {
      if (reported_.insert(message).second) console_.line("while it stops: " + message);
      return;
    }
    result_.outcome = Outcome::failed;
    result_.message = message;
    console_.line("failed: " + message);
  }

  const DomainRunOptions& options_;
  const std::vector<PlannedNode> nodes_;
  const ObservedAssembly observed_;
  DomainAssemblyOptions domain_;
  const TemporaryFolder cache_;  // of the devices
  RunResult result_;
  Console console_;
  Supervisor supervisor_;  // before any thread starts: it blocks the stop signals. An entry for each node
  std::set<std::size_t> handled_ends_;
  std::set<std::string> reported_;  // failures after a signal
  bool application_failed_ = false;
  bool nodes_may_end_ = false;
  bool all_killed_ = false;
  int signal_ = 0;
  Deadline repeat_window_;                  // a signal before it repeats the first one
  std::optional<Deadline> grace_deadline_;  // when a component that has not stopped is ended
};

}  // namespace

Result<LaunchResult> run_in_domain(const DomainRunOptions& options) {
  std::error_code failed;
  const fs::path sad = fs::canonical(options.launch.sad, failed);
  auto assembly =
      load_assembly(failed ? options.launch.sad : sad.string(), options.launch.root, AssemblyUse::domain);
  if (!assembly) return assembly.take_error();
  if (auto measured = check_editions(*assembly); !measured) return measured.take_error();
  if (auto set = apply_overrides(*assembly, options.launch.overrides, options.launch.realtime); !set)
    return set.take_error();
  auto root = domain_folder(*assembly, options.launch.root);
  if (!root) return root.take_error();
  auto nodes = plan_nodes(options.nodes);
  if (!nodes) return nodes.take_error();
  platform::ignore_file_size_signal();
  try {
    return DomainRun(options, std::move(*assembly), std::move(*root), std::move(*nodes)).run();
  } catch (const CF::FileException& e) {
    return Error{ErrorKind::unavailable, "the folder of the domain's files: " + e.msg()};
  } catch (const std::exception& e) {
    return Error{ErrorKind::unavailable, std::string("the assembly cannot be run: ") + e.what()};
  }
}

}  // namespace orbweaver::sca
