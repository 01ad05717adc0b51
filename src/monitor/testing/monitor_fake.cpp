// monitor-fake [ADDRESS [TOKEN_FILE]]: the web monitor of the domain that its tests use, until standard input
// ends. To look at the page without a domain.
#include <cstdio>
#include <iostream>
#include <string>

#include "monitor/monitor.h"
#include "monitor/testing/fake_source.h"

int main(int argc, char** argv) {
  orbweaver::monitor::MonitorOptions options;
  options.address = argc > 1 ? argv[1] : "0";
  if (argc > 2) options.token_file = argv[2];
  orbweaver::monitor::testing::FakeSource source;
  const auto monitor = orbweaver::monitor::Monitor::start(options, source);
  if (!monitor) {
    std::fprintf(stderr, "monitor-fake: %s\n", monitor.error().message.c_str());
    return 1;
  }
  std::printf("%s\n", (*monitor)->url().c_str());
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) source.add_log_line("info", line);
  return 0;
}
