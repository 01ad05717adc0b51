// orbweaver bench EXPERIMENT: how far a call is from its floor, and beside which others.
#include <iostream>
#include <memory>

#include "bench/harness/command.h"
#include "subcommand.h"
#include "transport_plugins.h"

namespace orbweaver::tools {
namespace {

struct Asked {
  bench::Plan plan;
  std::string json;
  std::string wait;
  std::string pin;
  std::string goal;
};

void add_common_options(CLI::App& command, Asked& asked) {
  bench::Plan& plan = asked.plan;
  command.add_option("--calls", plan.calls, "each process makes, after warming up")->capture_default_str();
  command.add_option("--rounds", plan.rounds, "of fresh processes, interleaved")->capture_default_str();
  command.add_option("--fifo", plan.fifo, "priority of SCHED_FIFO for both ends (usual scheduling)");
  command.add_option("--subject", plan.subjects, "orbweaver, omniorb, iceoryx2; the floor is always there")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--json", asked.json, "write the rows to this file; - is standard output");
}

void add_options(CLI::App& command, Asked& asked) {
  bench::Plan& plan = asked.plan;
  command.add_option("--transport", plan.transports, "inproc, shm, unix, mqueue, tcp, udp, tls, those of plug-ins: any of them")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--type", plan.types, "of the payload: empty, octet, double, string, struct, any, block, mix")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--bytes", plan.bytes, "of payload in a call")->delimiter(',')->capture_default_str();
  add_transport_plugins(command);
  command.add_option("--wait", asked.wait, "spin, adaptive or block (memory spins, sockets block)");
  command.add_option("--pin", asked.pin, "one, two or none (one core where both ends block, else two)");
  add_common_options(command, asked);
}

int run(const Asked& asked) {
  bench::Plan plan = asked.plan;
  plan.further_transports = transports_of_plugins();
  if (!asked.wait.empty()) plan.wait = asked.wait;
  if (!asked.pin.empty()) plan.pin = asked.pin;
  return bench::run_command(plan, asked.json, std::cout, std::cerr);
}

std::function<int()> set_up(CLI::App& group) {
  group.require_subcommand(1);
  const auto chosen = std::make_shared<std::function<int()>>();
  const auto add = [&](bench::Experiment experiment, const char* summary) {
    CLI::App* command = group.add_subcommand(std::string(bench::name(experiment)), summary);
    const auto asked = std::make_shared<Asked>();
    asked->plan.experiment = experiment;
    add_options(*command, *asked);
    command->callback([asked, chosen] { *chosen = [asked] { return run(*asked); }; });
  };
  add(bench::Experiment::twoway, "Time of a call, there and back");
  add(bench::Experiment::oneway, "Cost of a message in a flood of one-way calls");
  CLI::App* goals = group.add_subcommand("goals", "Every goal of the transports, and what is measured here");
  const auto asked = std::make_shared<Asked>();
  add_common_options(*goals, *asked);
  goals->add_option("--goal", asked->goal, "only those that have this in their name");
  goals->callback([asked, chosen] {
    *chosen = [asked] { return bench::run_goals(asked->plan, asked->goal, asked->json, std::cout, std::cerr); };
  });
  return [chosen] { return (*chosen)(); };
}

const bool registered =
    register_subcommand({"bench", "Measures calls against their floor, and beside other ORBs", set_up});

}  // namespace
}  // namespace orbweaver::tools
