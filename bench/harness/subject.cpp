#include "subject.h"

#include <link.h>

#include <cstdio>
#include <string>

#include "machine.h"
#include "program.h"

namespace orbweaver::bench {
namespace {

void print_libraries() {
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void*) {
        if (library->dlpi_name[0] == '/') std::printf("%s\n", library->dlpi_name);
        return 0;
      },
      nullptr);
}

int run(const ProgramArguments& arguments, const Subject& subject) {
  if (arguments.role == "libraries") {
    print_libraries();
    return 0;
  }
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
    return run(program_arguments(argc, argv, {"can", "serve", "call", "count", "libraries"},
                                 {"--cpu", "--scratch", "--address", "--server"}),
               subject);
  });
}

}  // namespace orbweaver::bench
