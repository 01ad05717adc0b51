// Says what the environment has set in this program.
#include <cstdio>

#include "base/log.h"
#include "orb/options.h"

int main(int argc, char* argv[]) {
  const auto options = orbweaver::orb::take_options(argc, argv);
  std::printf("plug-ins: %s\n", options ? "none" : options.error().message.c_str());
  std::printf("log: %s\n", orbweaver::log::enabled(orbweaver::log::Level::debug) ? "debug" : "default");
}
