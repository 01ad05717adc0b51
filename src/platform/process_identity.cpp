#include "platform/process_identity.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <fstream>

namespace orbweaver::platform {

std::int64_t process_id() noexcept { return getpid(); }
std::int64_t user_id() noexcept { return geteuid(); }

const std::string& host_identity() {
  // Never destroyed: threads of an ORB may still use it while the program ends.
  static const std::string& identity = *new std::string([] {
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    struct stat net {};
    if (boot.empty() || stat("/proc/self/ns/net", &net) != 0) return std::string();
    return boot + "/" + std::to_string(net.st_ino);
  }());
  return identity;
}

void sleep_ms(int milliseconds) noexcept {
  timespec t{milliseconds / 1000, (milliseconds % 1000) * 1'000'000L};
  nanosleep(&t, nullptr);
}

void pause_ns(std::int64_t ns) noexcept {
  const timespec t{0, static_cast<long>(ns)};
  nanosleep(&t, nullptr);
}

}  // namespace orbweaver::platform
