#include "testing/server_process.h"

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <thread>

namespace orbtest {

namespace platform = orbweaver::platform;

ServerProcess::ServerProcess(const std::vector<std::string>& options) {
  const auto program = std::filesystem::path(platform::executable_path()).parent_path() / "orb-test-server";
  if (const int error = process_.spawn({program.string(), options, {}}); error != 0) {
    throw std::runtime_error("cannot start " + program.string());
  }
  std::string printed;
  bool at_end = false;
  for (int i = 0; i < 4000 && !at_end; ++i) {
    printed += platform::read_available(process_.output(), at_end);
    const std::size_t first = printed.find('\n');
    const std::size_t second = first == std::string::npos ? first : printed.find('\n', first + 1);
    if (second != std::string::npos) {
      persistent_ = printed.substr(0, first);
      transient_ = printed.substr(first + 1, second - first - 1);
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  throw std::runtime_error("unexpected output of the server: " + printed);
}

void ServerProcess::kill() {
  if (!process_.running()) return;
  process_.kill();
  process_.reap();
}

}  // namespace orbtest
