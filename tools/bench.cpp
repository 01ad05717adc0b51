// orbweaver bench EXPERIMENT: measures calls, their floor and other ORBs.
#include <iostream>
#include <memory>

#include "bench/harness/command.h"
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
      .add_option("--subject", plan.subjects, "orbweaver, omniorb, iceoryx2; the floor is always measured")
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
  command
      .add_option("--type", plan.types, "payload type: empty, octet, double, string, struct, any, block, mix")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--bytes", plan.bytes, "payload bytes of a call")->delimiter(',')->capture_default_str();
  add_transport_plugins(command);
  command.add_option("--wait", arguments.wait, "spin, adaptive or block (memory spins, sockets block)");
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
  CLI::App* goals = group.add_subcommand("goals", "Every goal of the transports with its measured value");
  const auto arguments = std::make_shared<Arguments>();
  add_common_options(*goals, *arguments);
  goals->add_option("--goal", arguments->goal, "only goals whose name contains this text");
  goals->callback([arguments, chosen] {
    *chosen = [arguments] {
      return bench::run_goals(arguments->plan, arguments->goal, arguments->json, std::cout, std::cerr);
    };
  });
  return [chosen] { return (*chosen)(); };
}

const bool registered = register_subcommand({"bench", "Measures calls, their floor and other ORBs", set_up});

}  // namespace
}  // namespace orbweaver::tools
