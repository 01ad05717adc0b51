// Prints the settings that this program has read from the environment.
#include <cstdio>

#include "base/log.h"
#include "orb/options.h"

#ifdef __SANITIZE_ADDRESS__
/// The leak check traces its own process, which a setuid program must not do. Such a program ignores
/// ASAN_OPTIONS.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
#endif

int main(int argc, char* argv[]) {
  const auto options = orbweaver::orb::parse_options(argc, argv);
  std::printf("plug-ins: %s\n", options ? "none" : options.error().message.c_str());
  std::printf("log: %s\n", orbweaver::log::enabled(orbweaver::log::Level::debug) ? "debug" : "default");
}
