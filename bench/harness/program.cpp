#include "program.h"

#include <cstdio>
#include <exception>
#include <stdexcept>

namespace orbweaver::bench {

std::string ProgramArguments::value(const std::string& key) const {
  const auto found = own.find(key);
  return found == own.end() ? std::string() : found->second;
}

void throw_not_for_users() {
  throw std::runtime_error("this program is started by `orbweaver bench`; run that instead");
}

ProgramArguments program_arguments(int argc, char** argv, const std::set<std::string>& roles,
                                   const std::set<std::string>& own_keys) {
  ProgramArguments arguments;
  if (argc > 1) arguments.role = argv[1];
  if (argc % 2 != 0 || !roles.contains(arguments.role)) throw_not_for_users();
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string key = argv[i];
    if (own_keys.contains(key))
      arguments.own[key] = argv[i + 1];
    else
      arguments.rest.insert(arguments.rest.end(), {key, argv[i + 1]});
  }
  return arguments;
}

void announce_ready(const std::string& address) {
  std::printf("ready %s\n", address.c_str());
  std::fflush(stdout);
}

int program_main(const char* program, const std::function<int()>& run) {
  try {
    return run();
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: %s\n", program, problem.what());
    return 1;
  }
}

}  // namespace orbweaver::bench
