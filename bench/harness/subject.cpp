#include "subject.h"

#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>
#include <vector>

#include "machine.h"

namespace orbweaver::bench {
namespace {

struct CommandLine {
  std::string role;
  Case what;
  std::map<std::string, std::string> own;  ///< options of the contract beside the case's
};

CommandLine parsed(int argc, char** argv) {
  CommandLine line;
  if (argc > 1) line.role = argv[1];
  std::vector<std::string> rest;
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string key = argv[i];
    if (key == "--cpu" || key == "--scratch" || key == "--address" || key == "--server")
      line.own[key] = argv[i + 1];
    else
      rest.insert(rest.end(), {key, argv[i + 1]});
  }
  const auto what = from_args(rest);
  const bool has_role =
      line.role == "can" || line.role == "serve" || line.role == "call" || line.role == "count";
  if (!what || argc % 2 != 0 || !has_role)
    throw std::runtime_error("this program is started by `orbweaver bench`; run that instead");
  line.what = *what;
  return line;
}

int run(const CommandLine& line, const Subject& subject) {
  const auto own = [&](const char* key) {
    const auto found = line.own.find(key);
    return found == line.own.end() ? std::string() : found->second;
  };
  if (line.role == "can") {
    const auto reason = subject.cannot(line.what);
    if (reason) std::printf("%s\n", reason->c_str());
    return reason ? kExitUnsupported : 0;
  }
  if (!own("--cpu").empty()) pin_to(std::stoi(own("--cpu")));
  if (line.role == "serve") {
    subject.serve({line.what, own("--scratch"), [](const std::string& address) {
                     std::printf("ready %s\n", address.c_str());
                     std::fflush(stdout);
                   }});
    return 0;
  }
  ClientSide client{line.what, own("--address"), {}};
  client.loop.calls = line.what.calls;
  client.loop.timed = line.role == "call";
  if (!own("--server").empty()) client.loop.server = std::stoi(own("--server"));
  std::printf("%s\n", to_line(subject.call(client)).c_str());
  return 0;
}

}  // namespace

int subject_main(int argc, char** argv, const Subject& subject) {
  try {
    return run(parsed(argc, argv), subject);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: %s\n", argv[0], problem.what());
    return 1;
  }
}

}  // namespace orbweaver::bench
