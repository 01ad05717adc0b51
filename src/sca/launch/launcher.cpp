#include "sca/launch/launcher.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <orbweaver/deadline.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <optional>
#include <set>

#include "orb/options.h"
#include "sca/deploy/component_output.h"
#include "sca/launch/console.h"
#include "sca/launch/lifecycle_driver.h"
#include "sca/launch/program_kind.h"
#include "sca/launch/supervisor.h"
#include "sca/profile/edition.h"
#include "transport/plugins.h"

namespace orbweaver::sca {
namespace {

/// Time that components have to end after they were asked to.
constexpr int kGraceMs = 5000;
constexpr int kEventPollMs = 20;
constexpr int kRepeatedSignalMs = 500;
/// Time that a released component of another framework has to end by itself, before it is terminated as a
/// core framework does (SCA 2.2.2, 3.1.3.2.1.5.1: ExecutableDevice::terminate).
constexpr int kForeignExitMs = 500;

class Launcher {
 public:
  Launcher(const LaunchOptions& options, const Assembly& assembly, const Plan& plan)
      : assembly_(assembly), plan_(plan), console_(options.quiet, platform::stderr_is_terminal()),
        output_([this](const std::string& line) { console_.line(line); }),
        supervisor_([this](const std::string& name, const std::string& line) {
          output_.line(process_index(name), name, without_control_characters(line));
        }) {
    if (!options.transports.empty()) {
      orb_options_ = {"-ORBListen", options.transports, "-ORBTransportPreference", options.transports};
    }
    for (const PlannedProcess& process : plan.processes) {
      foreign_.push_back(process.program != options.host_program && !is_orbweaver_program(process.program));
    }
    result_.assembly = assembly.name;
    result_.sad = options.sad;
    result_.realtime = options.realtime;
    result_.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    warn_of_unreachable_programs(options.transports);
    for (std::size_t i = 0; i < assembly.components.size(); ++i) {
      ComponentResult component;
      component.id = assembly.components[i].id;
      component.name = assembly.components[i].name;
      component.placement = "process " + std::to_string(plan.components[i].process + 1);
      result_.components.push_back(std::move(component));
    }
  }

  LaunchResult run() {
    for (const std::string& warning : assembly_.warnings) console_.line("warning: " + warning);
    {
      LaunchedAssembly application(assembly_, plan_, own_orb_options());
      if (start_processes(application)) {
        LifecycleDriver driver(application, assembly_, result_);
        watch(application, driver);
        result_.seconds = driver.seconds();
        if (driver.failed_unreachable()) wait_for_failed_process();
        // Processes that have not bound themselves when the run is abandoned have not been asked to end:
        // terminate them.
        for (const std::size_t p : application.missing_processes()) supervisor_.terminate(p);
        if (const std::string failure = driver.failure(); !failure.empty()) fail(failure);
      }
      end_foreign_processes();
      supervisor_.shut_down_all(kGraceMs, kGraceMs);
      for (std::size_t p = 0; p < supervisor_.size(); ++p) handle_process_end(p, End::released);
    }
    record_process_results();
    console_.clear();
    if (const std::string summary = output_.summary(); !summary.empty()) console_.line(summary);
    if (result_.outcome == Outcome::interrupted)
      console_.line("stopped by " + platform::signal_name(signal_));
    return {std::move(result_), result_.outcome == Outcome::failed ? kExitFailed
                                : signal_ != 0                     ? 128 + signal_
                                                                   : 0};
  }

 private:
  std::string component_ids(std::size_t process) const {
    std::string ids;
    for (const std::size_t i : plan_.processes[process].components)
      ids += (ids.empty() ? "" : "+") + assembly_.components[i].id;
    return ids;
  }
  /// The name under which a process's output is printed.
  std::string name_of(std::size_t process) const {
    const auto& factory = plan_.processes[process].factory;
    return factory ? assembly_.factories[*factory].id : component_ids(process);
  }
  /// The process as the subject of a message: "components a+b", "resource factory f with component a".
  std::string subject(std::size_t process) const {
    const std::size_t count = plan_.processes[process].components.size();
    const std::string components = (count == 1 ? "component " : "components ") + component_ids(process);
    const auto& factory = plan_.processes[process].factory;
    if (!factory) return components;
    return factory_kind(assembly_.package_of_factory(*factory).component) + " " +
           assembly_.factories[*factory].id + (count == 0 ? "" : " with " + components);
  }

  std::size_t process_index(const std::string& name) const {
    std::size_t process = 0;
    while (process + 1 < plan_.processes.size() && name_of(process) != name) ++process;
    return process;
  }

  bool any_foreign() const { return std::find(foreign_.begin(), foreign_.end(), true) != foreign_.end(); }

  /// Options of this process's ORB, in which the naming service is. Programs of other ORBs reach it over TCP;
  /// components of ours then listen on TCP, too (sca/runtime/listen_options.h).
  std::vector<std::string> own_orb_options() const {
    if (!any_foreign() || !orb_options_.empty()) return orb_options_;
    std::string endpoints;
    for (const auto& endpoint : orb::Options::default_listen()) endpoints += endpoint.transport + ",";
    return {"-ORBListen", endpoints + "tcp"};
  }

  /// Warns of programs of other ORBs that cannot reach the naming service.
  void warn_of_unreachable_programs(const std::string& transports) {
    if (transports.empty() || ("," + transports).find(",tcp") != std::string::npos) return;
    for (std::size_t p = 0; p < foreign_.size(); ++p) {
      if (foreign_[p])
        console_.line("warning: " + subject(p) + " is not a program of Orbweaver and may need tcp, which " +
                      "--transport " + transports + " leaves out");
    }
  }

  /// The level of the log of the first component of a process that has one; empty: none, or the command line
  /// gives one.
  std::string log_level_of(std::size_t process) const {
    if (std::find(orb_options_.begin(), orb_options_.end(), "-ORBLog") != orb_options_.end()) return {};
    for (const std::size_t i : plan_.processes[process].components)
      if (const std::string& level = assembly_.components[i].log_level; !level.empty()) return level;
    return {};
  }

  platform::SpawnRequest request(std::size_t process, const std::string& naming_context) const {
    platform::SpawnRequest request;
    request.program = plan_.processes[process].program;
    auto& arguments = request.arguments;
    if (!foreign_[process]) {  // another ORB would reject them
      arguments = orb_options_;
      if (const std::string level = log_level_of(process); !level.empty())
        arguments.insert(arguments.begin(), {"-ORBLog", level});
    }
    if (const auto factory = plan_.processes[process].factory) {
      arguments.insert(arguments.end(), {"NAMING_CONTEXT_IOR", naming_context, "NAME_BINDING",
                                         assembly_.factories[*factory].naming, "COMPONENT_IDENTIFIER",
                                         assembly_.factories[*factory].id});
      for (const auto& [id, value] : plan_.factories[*factory].exec_params)
        arguments.insert(arguments.end(), {id, value});
      return request;
    }
    for (const std::size_t i : plan_.processes[process].components) {
      const PlannedComponent& planned = plan_.components[i];
      if (plan_.processes[process].is_host) {
        arguments.insert(arguments.end(), {"--module", planned.module});
        if (!planned.entry_point.empty()) arguments.insert(arguments.end(), {"--entry", planned.entry_point});
      }
      arguments.insert(arguments.end(),
                       {"NAMING_CONTEXT_IOR", naming_context, "NAME_BINDING", assembly_.components[i].naming,
                        "COMPONENT_IDENTIFIER", assembly_.components[i].id});
      if (!planned.direct_inputs.empty())
        arguments.insert(arguments.end(), {"DIRECT_INPUTS", direct_inputs(planned)});
      for (const auto& [id, value] : planned.exec_params) arguments.insert(arguments.end(), {id, value});
    }
    return request;
  }

  bool start_processes(const LaunchedAssembly& application) {
    for (std::size_t p = 0; p < plan_.processes.size(); ++p) {
      const auto started = supervisor_.start(name_of(p), request(p, application.naming_context()));
      if (!started) {
        fail(started.error().message);
        return false;
      }
      for (const std::size_t i : plan_.processes[p].components)
        result_.components[i].pid = supervisor_.pid(p);
    }
    return true;
  }

  /// Handles signals, ended processes and the driver's notices until the driver is done.
  void watch(const LaunchedAssembly& application, LifecycleDriver& driver) {
    while (!driver.done()) {
      supervisor_.handle_events(kEventPollMs);
      handle_stop_signal(driver);
      const bool released = driver.phase() >= LifecycleDriver::Phase::releasing;
      const End end = !released ? End::early : driver.failed_unreachable() ? End::cause : End::released;
      for (std::size_t p = 0; p < supervisor_.size(); ++p) {
        if (handle_process_end(p, end)) cancel(driver);
      }
      for (const std::string& notice : driver.take_notices()) console_.line(notice);
      // Report the driver's failure at once, before output of other components that follows from it.
      if (const std::string failure = driver.failure(); !failure.empty() && !driver.failed_unreachable())
        fail(failure);
      enforce_grace_period(application, driver);
      console_.progress(progress_line(driver));
    }
  }

  void cancel(LifecycleDriver& driver) {
    driver.cancel();
    if (!grace_deadline_) grace_deadline_ = Deadline::in_ms(kGraceMs);
  }

  /// Stops the application after the first signal, and kills it after a second one. Some senders signal a
  /// process and its group, so that one request arrives twice; a signal within kRepeatedSignalMs of the first
  /// is ignored.
  void handle_stop_signal(LifecycleDriver& driver) {
    const int signal = supervisor_.take_stop_signal();
    if (signal == 0) return;
    if (signal_ != 0 && repeat_window_.passed()) {
      all_killed_ = true;
      supervisor_.kill_all();
    }
    if (signal_ == 0) repeat_window_ = Deadline::in_ms(kRepeatedSignalMs);
    signal_ = signal;
    if (result_.outcome == Outcome::completed) result_.outcome = Outcome::interrupted;
    cancel(driver);
  }

  /// Kills a component that has not stopped within the grace period. Stopping is quick: such a component
  /// hangs, whether the run has ended by itself or not.
  void enforce_grace_period(const LaunchedAssembly& application, const LifecycleDriver& driver) {
    if (!grace_deadline_ && driver.phase() >= LifecycleDriver::Phase::stopping)
      grace_deadline_ = Deadline::in_ms(kGraceMs);
    if (!grace_deadline_ || !grace_deadline_->passed()) return;
    kill_unresponsive(application.called_component());
    grace_deadline_ = Deadline::in_ms(kGraceMs);
  }

  /// Kills the process of a component that does not respond, so that the others can still be stopped in
  /// order.
  void kill_unresponsive(std::size_t component) {
    if (component == LaunchedAssembly::kNoComponent) return supervisor_.kill_all();
    const std::size_t process = plan_.components[component].process;
    if (result_.outcome != Outcome::interrupted)
      fail("component " + assembly_.components[component].id + " did not stop within " +
           std::to_string(kGraceMs / 1000) + " s and was killed");
    else
      console_.line("component " + assembly_.components[component].id + " does not stop: killing it");
    supervisor_.kill(process);
  }

  /// The circumstances in which a process ended.
  enum class End {
    early,     // before the application was released
    cause,     // possibly why a call got no reply
    released,  // after or during its release, as expected
  };

  /// Waits for the process whose death made a call fail, so that its exit is reported as the cause.
  void wait_for_failed_process() {
    const auto deadline = Deadline::in_ms(kGraceMs);
    while (result_.outcome == Outcome::completed && !supervisor_.all_ended() && !deadline.passed()) {
      supervisor_.handle_events(kEventPollMs);
      for (std::size_t p = 0; p < supervisor_.size(); ++p) handle_process_end(p, End::cause);
    }
  }

  /// Ends the processes of other frameworks' components, which have been released and need not end by
  /// themselves.
  void end_foreign_processes() {
    const auto runs = [&](std::size_t p) { return foreign_[p] && !supervisor_.end(p); };
    const auto deadline = Deadline::in_ms(kForeignExitMs);
    for (std::size_t p = 0; p < supervisor_.size(); ++p) {
      while (runs(p) && !deadline.passed()) supervisor_.handle_events(kEventPollMs);
      if (!runs(p)) continue;
      terminated_.insert(p);
      supervisor_.terminate(p);
    }
  }

  /// Handles the end of process `p`, once. Returns true if the end is unexpected.
  bool handle_process_end(std::size_t p, End kind) {
    const auto& end = supervisor_.end(p);
    if (!end || handled_ends_.count(p) != 0) return false;
    handled_ends_.insert(p);
    const bool killed_by_us = result_.outcome != Outcome::completed && end->signalled;
    const bool terminated = terminated_.count(p) != 0 && platform::ended_by_sigterm(*end);
    if (killed_by_us || terminated || (end->clean() && kind != End::early)) return false;
    const std::string how = platform::describe(*end) + (kind == End::released ? " while being released" : "");
    // The component's own failure message is more specific than the exit status.
    const std::string cause = output_.cause(p);
    fail(cause.empty() ? fmt::format("{} (process {}) {}", subject(p), supervisor_.pid(p), how)
                       : fmt::format("{} (process {} {})", cause, supervisor_.pid(p), how));
    return true;
  }

  void fail(const std::string& message) {
    // Only the first failure is reported: later ones follow from it. After kill_all(), ends of processes are
    // not failures.
    if (result_.outcome == Outcome::failed || all_killed_) return;
    result_.outcome = Outcome::failed;
    result_.message = message;
    console_.line("failed: " + message);
    output_.failed();
  }

  void record_process_results() {
    for (std::size_t p = 0; p < supervisor_.size(); ++p) {
      const auto& components = plan_.processes[p].components;
      for (const std::size_t i : components) {
        result_.components[i].exit = supervisor_.end(p) ? platform::describe(*supervisor_.end(p)) : "";
        if (components.size() == 1)
          result_.components[i].cpu_seconds = static_cast<double>(supervisor_.cpu_ns(p)) / 1e9;
      }
    }
  }

  const Assembly& assembly_;
  const Plan& plan_;
  RunResult result_;
  Console console_;
  ComponentOutput output_;
  Supervisor supervisor_;                 // before any thread starts: it blocks the stop signals
  std::vector<std::string> orb_options_;  // of every process, including this one
  std::vector<bool> foreign_;             // by process: the program is not one of Orbweaver
  std::set<std::size_t> terminated_;      // processes that were ended by end_foreign_processes()
  std::set<std::size_t> handled_ends_;
  int signal_ = 0;
  bool all_killed_ = false;                 // all processes, after a second stop signal
  Deadline repeat_window_;                  // a signal before it repeats the first one
  std::optional<Deadline> grace_deadline_;  // when a component that has not stopped is killed
};

/// Checks the transport names of --transport. The ORB would reject them too, but its message names
/// -ORBListen, which the user has not given.
Result<void> check_transports(const std::string& list) {
  if (list.empty()) return {};
  // Loads the plug-ins that the environment names.
  int argc = 1;
  std::string program = "orbweaver";
  char* argv[] = {program.data(), nullptr};
  if (const auto options = orb::parse_options(argc, argv); !options) return options.error();
  std::set<std::string> names;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string item = list.substr(begin, end - begin);
    const std::string name = item.substr(0, item.find(':'));
    if (transport::find(name) == nullptr) {
      return Error{ErrorKind::invalid, "--transport " + list + ": there is no transport '" + name +
                                           "'; there are " + transport::known_names() +
                                           ", and those of --transport-plugin"};
    }
    if (!names.insert(name).second)
      return Error{ErrorKind::invalid, "--transport " + list + ": '" + name + "' is in the list twice"};
    begin = end + 1;
  }
  return {};
}

}  // namespace

Result<LaunchResult> launch(const LaunchOptions& options) {
  std::error_code ignored;
  if (!options.root.empty() && !std::filesystem::is_directory(options.root, ignored)) {
    return Error{ErrorKind::invalid, "--root " + options.root +
                                         ": there is no such folder; give the folder at which absolute file "
                                         "names in profiles start"};
  }
  if (const auto known = check_transports(options.transports); !known) return known.error();
  auto assembly = load_assembly(options.sad, options.root);
  if (!assembly) return assembly.take_error();
  DeployOptions deploy;
  deploy.overrides = options.overrides;
  deploy.realtime = options.realtime;
  deploy.host_program = options.host_program;
  deploy.platform.version = platform::kernel_release();
  deploy.platform.processor = platform::machine_architecture();
  auto plan = make_plan(*assembly, deploy);
  if (!plan) return plan.take_error();
  for (const PlannedProcess& process : plan->processes) {
    if (process.program != deploy.host_program || platform::is_executable(process.program)) continue;
    return Error{ErrorKind::unavailable,
                 process.program +
                     " is missing or not executable: it runs the components that share a process "
                     "and is installed beside `orbweaver`"};
  }
  try {
    return Launcher(options, *assembly, *plan).run();
  } catch (const std::exception& e) {
    return Error{ErrorKind::unavailable, std::string("the assembly cannot be run: ") + e.what()};
  }
}

}  // namespace orbweaver::sca
