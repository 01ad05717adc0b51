#include "subject.h"

#include <cstdio>
#include <string>

#include "machine.h"
#include "program.h"

namespace orbweaver::bench {
namespace {

int run(const ProgramArguments& arguments, const Subject& subject) {
  const auto what = from_args(arguments.rest);
  if (!what) throw_not_for_users();
  if (arguments.role == "can") {
    const auto reason = subject.cannot(*what);
    if (reason) std::printf("%s\n", reason->c_str());
    return reason ? kExitUnsupported : 0;
  }
  if (const std::string cpu = arguments.value("--cpu"); !cpu.empty()) pin_to(std::stoi(cpu));
  if (arguments.role == "serve") {
    subject.serve({*what, arguments.value("--scratch"), announce_ready});
    return 0;
  }
  ClientSide client{*what, arguments.value("--address"), {}};
  client.loop.calls = what->calls;
  client.loop.timed = arguments.role == "call";
  if (const std::string server = arguments.value("--server"); !server.empty())
    client.loop.server = std::stoi(server);
  std::printf("%s\n", to_line(subject.call(client)).c_str());
  return 0;
}

}  // namespace

int subject_main(int argc, char** argv, const Subject& subject) {
  return program_main(argv[0], [&] {
    return run(program_arguments(argc, argv, {"can", "serve", "call", "count"},
                                 {"--cpu", "--scratch", "--address", "--server"}),
               subject);
  });
}

}  // namespace orbweaver::bench
