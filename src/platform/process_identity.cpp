#include "platform/process_identity.h"

#include <errno.h>
#include <pwd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <vector>

#include "platform/sha256.h"

namespace orbweaver::platform {

std::int64_t process_id() noexcept { return getpid(); }
std::int64_t user_id() noexcept { return geteuid(); }

std::int64_t user_id_of(const std::string& name) {
  std::vector<char> buffer(1024);
  passwd entry{};
  passwd* found = nullptr;
  while (getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) == ERANGE) {
    buffer.resize(2 * buffer.size());
  }
  return found != nullptr ? static_cast<std::int64_t>(found->pw_uid) : -1;
}

const std::string& host_identity() {
  // Never destroyed: threads of an ORB may still use it while the program ends.
  static const std::string& identity = *new std::string([] {
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    struct stat net {};
    if (boot.empty() || stat("/proc/self/ns/net", &net) != 0) return std::string();
    // The boot id is hashed: it must not be published, as it would identify this host in other contexts.
    const auto digest = sha256("orbweaver host identity 1\n" + boot + "/" + std::to_string(net.st_ino));
    std::string text;
    for (std::size_t i = 0; i < 16; ++i) {
      char digits[3];
      std::snprintf(digits, sizeof digits, "%02x", digest[i]);
      text += digits;
    }
    return text;
  }());
  return identity;
}

void sleep_ms(int milliseconds) noexcept {
  timespec t{milliseconds / 1000, (milliseconds % 1000) * 1'000'000L};
  nanosleep(&t, nullptr);
}

void sleep_ns(std::int64_t ns) noexcept {
  const timespec t{0, static_cast<long>(ns)};
  nanosleep(&t, nullptr);
}

}  // namespace orbweaver::platform
