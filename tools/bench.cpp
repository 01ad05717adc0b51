// orbweaver bench EXPERIMENT: measures calls, their floor and other ORBs.
#include <iomanip>
#include <iostream>
#include <memory>

#include "bench/deployment/command.h"
#include "bench/harness/command.h"
#include "bench/harness/footprint.h"
#include "bench/harness/known_subjects.h"
#include "bench/harness/report_experiments.h"
#include "bench/harness/runner.h"
#include "bench/latency_profile/command.h"
#include "bench/monitor/command.h"
#include "bench/pipeline/command.h"
#include "bench/scale/command.h"
#include "bench/userplane/command.h"
#include "subcommand.h"
#include "transport_plugins.h"

namespace orbweaver::tools {
namespace {

struct Arguments {
  bench::Plan plan;
  std::string json;
  std::string wait;
  std::string pin;
  std::string goal;
};

void add_common_options(CLI::App& command, Arguments& arguments) {
  bench::Plan& plan = arguments.plan;
  command.add_option("--calls", plan.calls, "calls per process after warming up")->capture_default_str();
  command.add_option("--rounds", plan.rounds, "rounds of new processes, interleaved")->capture_default_str();
  command.add_option("--fifo", plan.fifo, "SCHED_FIFO priority of both ends (0: default scheduling)");
  command
      .add_option("--subject", plan.subjects, bench::names_of_subjects() + "; the floor is always measured")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--json", arguments.json, "write the rows to this file; - is standard output");
}

void add_options(CLI::App& command, Arguments& arguments) {
  bench::Plan& plan = arguments.plan;
  command
      .add_option("--transport", plan.transports,
                  "inproc, shm, unix, mqueue, tcp, udp, tls, or those of plug-ins")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--type", plan.types, "payload type: " + bench::names<bench::PayloadType>())
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--bytes", plan.bytes, "payload bytes of a call")->delimiter(',')->capture_default_str();
  add_transport_plugins(command);
  command.add_option("--wait", arguments.wait,
                     "spin, adaptive, block or default: as without options (memory spins, sockets block)");
  command.add_option("--pin", arguments.pin, "one, two or none (one core where both ends block, else two)");
  add_common_options(command, arguments);
}

int run(const Arguments& arguments) {
  bench::Plan plan = arguments.plan;
  plan.plugin_transports = transports_of_plugins();
  if (!arguments.wait.empty()) plan.wait = arguments.wait;
  if (!arguments.pin.empty()) plan.pin = arguments.pin;
  return bench::run_command(plan, arguments.json, std::cout, std::cerr);
}

/// `hops` and `fanout`.
void add_packets(CLI::App& group, bench::Experiment experiment, const char* summary,
                 const std::shared_ptr<std::function<int()>>& chosen) {
  CLI::App& command = *group.add_subcommand(std::string(bench::name(experiment)), summary);
  const auto arguments = std::make_shared<Arguments>();
  bench::Plan& plan = arguments->plan;
  plan.experiment = experiment;
  plan.transports = {"shm"};
  plan.subjects = {"orbweaver"};
  const bool chain = experiment == bench::Experiment::hops;
  plan.types =
      chain ? std::vector<std::string>{"empty", "double", "block"} : std::vector<std::string>{"block"};
  plan.bytes = chain ? std::vector<std::size_t>{8192, 1 << 20} : std::vector<std::size_t>{65536};
  plan.calls = 2000;
  command.add_option("--receivers", plan.receivers, "processes beside the producer")->capture_default_str();
  command.add_option("--transport", plan.transports, "shm, unix, mqueue, tcp")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--type", plan.types, "packets: empty, double, block")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--bytes", plan.bytes, "bytes of a packet")->delimiter(',')->capture_default_str();
  command.add_option("--wait", arguments->wait,
                     "spin, adaptive, block or default: as without options (block)");
  command.add_option("--pin", arguments->pin, "one, two or none (one core where they block, else two)");
  add_common_options(command, *arguments);
  command.callback([arguments, chosen] { *chosen = [arguments] { return run(*arguments); }; });
}

/// The experiments of the report, each with the commands of its runs.
void print_report_experiments(std::ostream& out) {
  out << "\nExperiments of the report: all by make bench, one by bench/lab/run build build/bench NAME\n";
  for (const bench::ReportExperiment& experiment : bench::report_experiments()) {
    out << std::left << std::setw(12) << experiment.name << experiment.title << "\n";
    for (const bench::ReportRun& run : experiment.runs) {
      out << "  " << std::setw(18) << run.name << "orbweaver bench";
      for (const std::string& argument : run.arguments) out << ' ' << argument;
      out << (run.optional ? "   (only if it is named)\n" : "\n");
    }
  }
}

void add_list(CLI::App& group, const std::shared_ptr<std::function<int()>>& chosen) {
  CLI::App* list = group.add_subcommand("list", "What is measured, and the experiments of make bench");
  list->callback([&group, chosen] {
    *chosen = [&group] {
      std::cout << "orbweaver bench\n";
      for (const CLI::App* experiment : group.get_subcommands(nullptr)) {
        if (experiment->get_name() != "list")
          std::cout << std::left << std::setw(12) << experiment->get_name() << experiment->get_description()
                    << "\n";
      }
      print_report_experiments(std::cout);
      return std::cout.flush() ? 0 : 1;
    };
  });
}

struct PipelineArguments {
  bench::PipelinePlan plan;
  std::string json;
};

void add_pipeline(CLI::App& group, const std::shared_ptr<std::function<int()>>& chosen) {
  CLI::App& command =
      *group.add_subcommand("pipeline", "Messaging semantics of a pipeline: throughput and order");
  const auto arguments = std::make_shared<PipelineArguments>();
  bench::PipelinePlan& plan = arguments->plan;
  bench::PipelineSettings& settings = plan.settings;
  command
      .add_option(
          "--mode", plan.modes,
          "oneway-none, oneway-transport, oneway-server, oneway-target, twoway, twoway-thread, ordered, "
          "unordered, stamped (all)")
      ->delimiter(',');
  command.add_option("--transport", settings.transport, "between the processes: shm, unix, mqueue, tcp, udp")
      ->capture_default_str();
  command.add_option("--wait", settings.wait, "the ORB's wait strategy: spin, adaptive or block")
      ->capture_default_str();
  command.add_option("--stages", settings.stages, "stages behind the producer")->capture_default_str();
  command.add_option("--packets", settings.packets, "packets of 1024 doubles")->capture_default_str();
  command.add_option("--work", settings.work_ms, "work of a stage on a packet, in ms")->capture_default_str();
  command.add_option("--work-by", plan.work_by,
                     "compute or wait (wait if there are fewer cores than stages)");
  command.add_option("--pace", settings.pace_ms, "time between two packets, in ms; 0: none")
      ->capture_default_str();
  command.add_option("--threads", settings.threads, "threads of a stage that dispatches in any order")
      ->capture_default_str();
  command.add_option("--queue", settings.queue, "packets in the queue or reorder buffer of a stage")
      ->capture_default_str();
  command.add_option("--subject", plan.subjects, "orbweaver, omniorb")->delimiter(',')->capture_default_str();
  command.add_flag("--collocated", settings.collocated, "all stages in one process");
  command.add_option("--rounds", plan.rounds, "runs of each subject in each mode, interleaved")
      ->capture_default_str();
  command.add_option("--fifo", plan.fifo, "SCHED_FIFO priority of all processes (0: default scheduling)");
  command.add_option("--json", arguments->json, "write the rows to this file; - is standard output");
  command.callback([arguments, chosen] {
    *chosen = [arguments] {
      return bench::run_pipeline_command(arguments->plan, arguments->json, std::cout, std::cerr);
    };
  });
}

struct ProfileArguments {
  bench::ProfilePlan plan;
  std::string json;
  std::string pin;
};

void add_profile(CLI::App& group, const std::shared_ptr<std::function<int()>>& chosen) {
  CLI::App& command = *group.add_subcommand(
      "profile", "Latency of packets to the processing thread of a port, and its parts");
  const auto arguments = std::make_shared<ProfileArguments>();
  bench::ProfilePlan& plan = arguments->plan;
  command.add_option("--transport", plan.transports, "shm, unix, mqueue, tcp")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--samples", plan.samples, "complex samples of a packet, 4 bytes each")
      ->delimiter(',')
      ->capture_default_str();
  command
      .add_option("--threads", plan.threads, "of the receiver, as of -ORBThreads: connection, pool:N, single")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--packets", plan.packets, "packets of a round")->capture_default_str();
  command.add_option("--interval", plan.interval_us, "time between two packets in us, at least")
      ->capture_default_str();
  command.add_option("--rounds", plan.rounds, "rounds of new processes, interleaved")->capture_default_str();
  command.add_option("--wait", plan.wait, "spin, adaptive, block or default: as without options")
      ->capture_default_str();
  command.add_option("--pin", arguments->pin, "one, two or none (one core where both ends block, else two)");
  command.add_option("--fifo", plan.fifo, "SCHED_FIFO priority of both ends (0: default scheduling)");
  command.add_option("--load", plan.load, "busy processes of the default priority beside them")
      ->capture_default_str();
  command.add_option("--subject", plan.subjects, "floor, orbweaver, omniorb")
      ->delimiter(',')
      ->capture_default_str();
  command.add_flag(
      "--parts", plan.parts,
      "consecutive parts: orbweaver also with interceptors, whose stamps tell stub, transport and "
      "skeleton apart; on two cores");
  command.add_option("--json", arguments->json, "write the rows to this file; - is standard output");
  command.callback([arguments, chosen] {
    *chosen = [arguments] {
      bench::ProfilePlan measured = arguments->plan;
      if (!arguments->pin.empty()) measured.pin = arguments->pin;
      return bench::run_profile_command(measured, bench::own_folder(), arguments->json, std::cout, std::cerr);
    };
  });
}

struct UserplaneArguments {
  bench::UserplanePlan plan;
  std::string json;
};

void add_userplane(CLI::App& group, const std::shared_ptr<std::function<int()>>& chosen) {
  CLI::App& command = *group.add_subcommand(
      "userplane", "Throughput by the receiver's processor time, of the ORB and of plain sockets");
  const auto arguments = std::make_shared<UserplaneArguments>();
  bench::UserplanePlan& plan = arguments->plan;
  command.add_option("--transport", plan.transports, "udp, tcp")->delimiter(',')->capture_default_str();
  command.add_option("--ip", plan.ips, "versions of IP: 4, 6")->delimiter(',')->capture_default_str();
  command
      .add_option("--batch", plan.batches_us,
                  "longest delay of a packet in us, to be sent with others; 0: sent at once")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--mix", plan.mix, "XML file of a mix of messages (the Internet mix)");
  command.add_option("--bytes", plan.bytes, "messages of these sizes instead of a mix")->delimiter(',');
  command.add_option("--spacing", plan.spacing_us, "times between two packets in us, at least")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--point", plan.point_ms, "duration of each spacing in ms")->capture_default_str();
  command.add_option("--cpu", plan.cpu_percent, "load of the receiver at which throughput is compared")
      ->capture_default_str();
  command.add_option("--rounds", plan.rounds, "rounds of new processes, interleaved")->capture_default_str();
  command.add_option("--pin", plan.pin, "two (a core each) or none")->capture_default_str();
  command.add_option("--subject", plan.subjects, "floor, orbweaver, omniorb")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--json", arguments->json, "write the rows to this file; - is standard output");
  command.callback([arguments, chosen] {
    *chosen = [arguments] {
      return bench::run_userplane_command(arguments->plan, bench::own_folder(), arguments->json, std::cout,
                                          std::cerr);
    };
  });
}

struct DeploymentArguments {
  bench::DeploymentPlan plan;
  std::string json;
};

void add_deployment(CLI::App& group, const std::shared_ptr<std::function<int()>>& chosen) {
  CLI::App& command =
      *group.add_subcommand("deployment", "Time in which a domain creates and starts an application");
  const auto arguments = std::make_shared<DeploymentArguments>();
  bench::DeploymentPlan& plan = arguments->plan;
  command.add_option("--components", plan.components, "of applications whose components are processes")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--libraries", plan.libraries, "components of the application in one process; 0: none")
      ->capture_default_str();
  command.add_option("--connections", plan.connections, "of each component, at most to each other one")
      ->capture_default_str();
  command.add_option("--cycles", plan.cycles, "applications of each kind, one after another")
      ->capture_default_str();
  command.add_flag("--growth", plan.growth,
                   "memory, descriptors, threads and files after each application, instead of times");
  command.add_option("--json", arguments->json, "write the rows to this file; - is standard output");
  command.callback([arguments, chosen] {
    *chosen = [arguments] {
      return bench::run_deployment_command(arguments->plan, bench::own_folder() + "/orbweaver",
                                           arguments->json, std::cout, std::cerr);
    };
  });
}

struct MonitorArguments {
  bench::MonitorPlan plan;
  std::string json;
};

void add_monitor(CLI::App& group, const std::shared_ptr<std::function<int()>>& chosen) {
  CLI::App& command =
      *group.add_subcommand("monitor", "What the web monitor costs a pipeline and the domain manager");
  const auto arguments = std::make_shared<MonitorArguments>();
  bench::MonitorPlan& plan = arguments->plan;
  command.add_option("--components", plan.components, "of the pipeline, each a process")
      ->capture_default_str();
  command.add_option("--browsers", plan.browsers, "event streams while it is watched")->capture_default_str();
  command.add_option("--window", plan.window_ms, "duration of each measurement in ms")->capture_default_str();
  command.add_option("--rounds", plan.rounds, "of three measurements: not watched, watched, not watched")
      ->capture_default_str();
  command.add_option("--json", arguments->json, "write the row to this file; - is standard output");
  command.callback([arguments, chosen] {
    *chosen = [arguments] {
      return bench::run_monitor_command(arguments->plan, bench::own_folder() + "/orbweaver", arguments->json,
                                        std::cout, std::cerr);
    };
  });
}

struct ScaleArguments {
  bench::ScalePlan plan;
  std::string json;
};

void add_scale(CLI::App& group, const std::shared_ptr<std::function<int()>>& chosen) {
  CLI::App& command = *group.add_subcommand(
      "scale", "Many clients and objects of a server, and the start of many components");
  const auto arguments = std::make_shared<ScaleArguments>();
  bench::ScalePlan& plan = arguments->plan;
  const auto add_list = [&](const char* name, auto& values, const char* text) {
    command.add_option(name, values, text)->delimiter(',')->capture_default_str();
  };
  add_list("--part", plan.parts, "clients, objects, components");
  add_list("--clients", plan.clients, "connections to a server");
  add_list("--callers", plan.callers, "threads of the clients' process that call at the same time");
  add_list("--threads", plan.threads, "of the server of the clients: connection, pool:N");
  add_list("--objects", plan.objects, "active objects of a server");
  add_list("--components", plan.components, "processes that are started");
  add_list("--subject", plan.subjects, "floor, orbweaver, omniorb; sca: components of orbweaver run");
  command.add_option("--calls", plan.calls, "calls of a process, for each number of callers")
      ->capture_default_str();
  command.add_option("--rounds", plan.rounds, "rounds of new processes, interleaved")->capture_default_str();
  command.add_option("--pin", plan.pin, "one, two or none")->capture_default_str();
  command.add_option("--json", arguments->json, "write the rows to this file; - is standard output");
  command.callback([arguments, chosen] {
    *chosen = [arguments] {
      return bench::run_scale_command(arguments->plan, bench::own_folder(), arguments->json, std::cout,
                                      std::cerr);
    };
  });
}

struct FootprintArguments {
  bench::FootprintPlan plan;
  std::string json;
};

void add_footprint(CLI::App& group, const std::shared_ptr<std::function<int()>>& chosen) {
  CLI::App& command = *group.add_subcommand("footprint", "Sizes of code, and memory of both ends of a call");
  const auto arguments = std::make_shared<FootprintArguments>();
  bench::FootprintPlan& plan = arguments->plan;
  command.add_option("--subject", plan.subjects, "orbweaver, omniorb, and others over TCP")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--transport", plan.transport, "between client and server")->capture_default_str();
  command.add_option("--rounds", plan.rounds, "new processes of each subject")->capture_default_str();
  command.add_option("--json", arguments->json, "write the rows to this file; - is standard output");
  command.callback([arguments, chosen] {
    *chosen = [arguments] {
      return bench::run_footprint_command(arguments->plan, bench::own_folder(), arguments->json, std::cout,
                                          std::cerr);
    };
  });
}

std::function<int()> set_up(CLI::App& group) {
  group.require_subcommand(1);
  const auto chosen = std::make_shared<std::function<int()>>();
  const auto add = [&](bench::Experiment experiment, const char* summary) {
    CLI::App* command = group.add_subcommand(std::string(bench::name(experiment)), summary);
    const auto arguments = std::make_shared<Arguments>();
    arguments->plan.experiment = experiment;
    add_options(*command, *arguments);
    command->callback([arguments, chosen] { *chosen = [arguments] { return run(*arguments); }; });
  };
  add(bench::Experiment::twoway, "Round-trip time of a call");
  add(bench::Experiment::oneway, "Cost of a message in a flood of one-way calls");
  add_packets(group, bench::Experiment::hops, "Time of a packet through processes that forward it, per hop",
              chosen);
  add_packets(group, bench::Experiment::fanout,
              "Time until a packet has arrived at each of several processes", chosen);
  add_pipeline(group, chosen);
  add_profile(group, chosen);
  add_userplane(group, chosen);
  add_deployment(group, chosen);
  add_footprint(group, chosen);
  add_monitor(group, chosen);
  add_scale(group, chosen);
  CLI::App* goals = group.add_subcommand("goals", "Every goal of the transports with its measured value");
  const auto arguments = std::make_shared<Arguments>();
  add_common_options(*goals, *arguments);
  goals->add_option("--goal", arguments->goal, "only goals whose name contains this text");
  goals->callback([arguments, chosen] {
    *chosen = [arguments] {
      return bench::run_goals(arguments->plan, arguments->goal, arguments->json, std::cout, std::cerr);
    };
  });
  add_list(group, chosen);
  return [chosen] { return (*chosen)(); };
}

const bool registered =
    register_subcommand({"bench", "Measures calls, their floor and other ORBs", set_up, "experiment"});

}  // namespace
}  // namespace orbweaver::tools
