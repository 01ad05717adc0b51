#include "subject.h"

#include <cstdio>
#include <stdexcept>

#include "bench/harness/machine.h"
#include "bench/harness/program.h"
#include "process_state.h"

namespace orbweaver::bench {
namespace {

template <class Function, class... Arguments>
auto call(const Function& function, const Arguments&... arguments) {
  if (!function) throw_not_for_users();
  return function(arguments...);
}

void print(const std::vector<ScaleSample>& samples) {
  std::fputs(to_lines(samples).c_str(), stdout);
  std::fflush(stdout);
}

int run(const ProgramArguments& arguments, const ScaleSubject& subject) {
  if (arguments.role == "component") {
    const std::string number = arguments.value("--number");
    if (number.empty() || !arguments.rest.empty()) throw_not_for_users();
    call(subject.component,
         ScaleComponent{static_cast<std::uint32_t>(std::stoul(number)), arguments.value("--starter")});
    return 0;
  }
  const auto settings = scale_from_args(arguments.rest);
  if (!settings) throw_not_for_users();
  if (const std::string cpu = arguments.value("--cpu"); !cpu.empty()) pin_to(std::stoi(cpu));
  if (arguments.role == "start") {
    print({call(subject.start, *settings)});
    return 0;
  }
  if (settings->part == ScalePart::clients) allow_descriptors(connections_for(*settings));
  if (arguments.role == "serve") {
    call(subject.serve, ScaleServer{*settings, [] { announce_ready(std::to_string(listening_port())); }});
    return 0;
  }
  print(call(subject.call, ScaleClient{*settings, std::stoi(arguments.value("--port")),
                                       std::stoi(arguments.value("--server"))}));
  return 0;
}

}  // namespace

int scale_subject_main(int argc, char** argv, const ScaleSubject& subject) {
  return program_main(argv[0], [&] {
    return run(program_arguments(argc, argv, {"serve", "call", "start", "component"},
                                 {"--cpu", "--port", "--server", "--number", "--starter"}),
               subject);
  });
}

std::string address_of_client(std::uint32_t index) {
  return "127.0." + std::to_string(index / 250) + "." + std::to_string(index % 250 + 1);
}

std::string url_of_client(std::uint32_t index, int port) {
  return "corbaloc:iiop:1.2@" + address_of_client(index) + ":" + std::to_string(port) + "/" + kScaleKey;
}

}  // namespace orbweaver::bench
