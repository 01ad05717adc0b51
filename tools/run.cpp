// orbweaver run: deploys an assembly and runs it to its end.
#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/printable.h"
#include "platform/process.h"
#include "sca/domain_run/domain_run.h"
#include "sca/launch/launcher.h"
#include "subcommand.h"
#include "transport_plugins.h"

namespace orbweaver::tools {
namespace {

constexpr const char* kHelp =
    "Runs the waveform that FILE, a software assembly (SAD) of SCA 2.2.2, describes: starts its components, "
    "each in a\n"
    "process of its own unless the assembly places them together, connects their ports, and starts them. The "
    "run ends\n"
    "when every sink has seen the end of its stream, by Ctrl-C (a second Ctrl-C does not wait), or when a "
    "component\n"
    "dies; then all components are stopped, and tables of the hops and the components are printed.\n"
    "\n"
    "  orbweaver run voice.sad.xml\n"
    "  orbweaver run voice.sad.xml --set channel_1.snr_db=12 --json result.json\n"
    "  orbweaver run voice.sad.xml --transport-plugin ./libseqpacket.so --transport seqpacket\n"
    "  orbweaver run radio.sad.xml --node left.dcd.xml --node right.dcd.xml --assign source_1=left_device\n"
    "\n"
    "With --domain or --node, the assembly is deployed by a domain manager of SCA 2.2.2 on the devices of "
    "one "
    "or\n"
    "several nodes, which are processes of this run. docs/sca.md describes it.\n"
    "\n"
    "Exit status: 0 completed, 1 a component failed or the result cannot be written, 2 bad input, 128 + N "
    "stopped by signal N.";

struct Options {
  sca::LaunchOptions launch;
  bool in_domain = false;
  std::vector<std::string> nodes, assignments;
  std::vector<std::string> settings;
  std::string json;
};

int run(Options& options) {
  const auto fail = [](const std::string& message) {
    std::fprintf(stderr, "orbweaver run: %s\n", printable_lines(message).c_str());
    return kExitBadInput;
  };
  for (const std::string& setting : options.settings) {
    const auto parsed = sca::parse_override(setting);
    if (!parsed) return fail(parsed.error().message);
    options.launch.overrides.push_back(*parsed);
  }
  if (!options.json.empty()) {
    // Checked before the run rather than at the end of a long run.
    const auto folder = std::filesystem::absolute(options.json).parent_path();
    if (!std::filesystem::is_directory(folder))
      return fail("--json " + options.json + ": there is no folder " + folder.string());
  }
  options.launch.host_program =
      (std::filesystem::path(platform::executable_path()).parent_path() / "orbweaver-host").string();

  const bool in_domain = options.in_domain || !options.nodes.empty() || !options.assignments.empty();
  if (in_domain && !options.launch.transports.empty())
    return fail(
        "--transport cannot be given with --domain, --node or --assign: the components of a domain "
        "choose among all transports");
  sca::DomainRunOptions domain{options.launch, options.nodes, {}, platform::executable_path()};
  for (const std::string& assignment : options.assignments) {
    const auto equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == assignment.size())
      return fail("--assign " + assignment + ": this is not of the form COMPONENT=DEVICE");
    domain.assignments.emplace_back(assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  const auto launched = in_domain ? sca::run_in_domain(domain) : sca::launch(options.launch);
  if (!launched) return fail(launched.error().message);
  bool is_written = true;
  const auto check_written = [&](const std::string& problem) {
    if (problem.empty()) return;
    fail(problem);
    is_written = false;
  };
  if (!options.launch.quiet) check_written(print(sca::to_table(launched->result)));
  if (!options.json.empty()) {
    const auto written = sca::write_json(launched->result, options.json);
    check_written(written ? "" : "--json " + written.error().message);
  }
  return launched->exit_status != 0 || is_written ? launched->exit_status : kExitNotWritten;
}

std::function<int()> set_up(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.footer(kHelp);
  app.add_option("FILE", options->launch.sad, "The assembly: a .sad.xml file")->required();
  app.add_flag("--realtime", options->launch.realtime,
               "Sets the property `realtime` of components that have it: sources keep to their sample rate");
  app.add_option("--set", options->settings,
                 "Sets a property instead of the assembly's value; may be given again")
      ->type_name("COMPONENT.PROPERTY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--transport", options->launch.transports,
                 "Transports between the processes, best first (default: inproc,shm,unix)")
      ->type_name("LIST")
      ->check([](const std::string& list) {
        return std::string(list.empty() ? "takes a list of transports, such as shm,unix" : "");
      });
  add_transport_plugins(app);
  app.add_flag("--domain", options->in_domain,
               "Deploys it by a domain manager, on a node that executes components on this machine");
  app.add_option("--node", options->nodes,
                 "The same on the devices of this node, a .dcd.xml file; may be given again")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--assign", options->assignments,
                 "The same, and a device with this id executes the component; may be given again")
      ->type_name("COMPONENT=DEVICE")
      ->allow_extra_args(false);
  app.add_option("--json", options->json, "Writes the result to this file (docs/formats/run-result.md)")
      ->type_name("FILE");
  app.add_option("--root", options->launch.root, "Folder at which absolute file names in profiles start")
      ->type_name("FOLDER");
  app.add_flag("--quiet", options->launch.quiet, "Prints no progress and no tables, only errors");
  return [options] { return run(*options); };
}

const bool registered = register_subcommand({"run", "Runs a waveform from its SCA domain profiles", set_up});

}  // namespace
}  // namespace orbweaver::tools
