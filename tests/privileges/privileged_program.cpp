// Says what the environment has set in this program.
#include <cstdio>

#include "base/log.h"
#include "orb/options.h"

#ifdef __SANITIZE_ADDRESS__
/// The leak check traces its own process, which is not allowed with a setuid program; such a one reads no ASAN_OPTIONS.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
#endif

int main(int argc, char* argv[]) {
  const auto options = orbweaver::orb::take_options(argc, argv);
  std::printf("plug-ins: %s\n", options ? "none" : options.error().message.c_str());
  std::printf("log: %s\n", orbweaver::log::enabled(orbweaver::log::Level::debug) ? "debug" : "default");
}
