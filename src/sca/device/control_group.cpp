#include "sca/device/control_group.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "orbweaver-device-";
constexpr std::uint64_t kPeriodUs = 100'000;

Error unavailable(const std::string& message) { return {ErrorKind::unavailable, message}; }

std::string read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool write(const fs::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  return file.good();
}

bool has_word(const std::string& text, std::string_view word) {
  std::istringstream words(text);
  return std::find(std::istream_iterator<std::string>(words), {}, word) !=
         std::istream_iterator<std::string>();
}

/// The folder of the group of this process in the hierarchy of version 2; empty if there is none.
fs::path own_group(const std::string& root) {
  std::istringstream lines(read(root + "/proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("0::/")) continue;
    for (const char* const mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
      const fs::path folder = fs::path(root + mount) / line.substr(4);
      std::error_code ignored;
      if (fs::exists(folder / "cgroup.controllers", ignored)) return folder;
    }
  }
  return {};
}

/// Removes the groups of devices that do not exist any more.
void remove_left_behind(const fs::path& group, const std::string& root) {
  std::error_code ignored;
  for (const auto& each : fs::directory_iterator(group, ignored)) {
    const std::string name = each.path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    if (!fs::exists(root + "/proc/" + name.substr(kPrefix.size()), ignored)) fs::remove(each.path(), ignored);
  }
}

}  // namespace

Result<std::unique_ptr<ControlGroup>> ControlGroup::create(int pid, const GroupLimits& limits,
                                                           const std::string& root) {
  const fs::path own = own_group(root);
  if (own.empty()) return unavailable("this machine has no control groups of version 2");
  const std::string available = read(own / "cgroup.controllers");
  for (const char* const controller : {"memory", "cpu"}) {
    if (!has_word(available, controller))
      return unavailable(std::string("the controller '") + controller + "' is not available in " +
                         own.string());
    if (has_word(read(own / "cgroup.subtree_control"), controller)) continue;
    // The kernel refuses this in a group that has processes and is not the root.
    if (!write(own / "cgroup.subtree_control", std::string("+") + controller))
      return unavailable(std::string("the controller '") + controller + "' cannot be enabled in " +
                         own.string());
  }
  remove_left_behind(own, root);
  const fs::path path = own / (std::string(kPrefix) + std::to_string(pid));
  std::error_code error;
  fs::create_directory(path, error);
  if (error) return unavailable(path.string() + ": " + error.message());
  std::unique_ptr<ControlGroup> group(new ControlGroup(path.string()));
  const auto quota_us = static_cast<std::uint64_t>(limits.processors * static_cast<double>(kPeriodUs));
  if (!write(path / "memory.max", std::to_string(limits.memory_bytes)) ||
      !write(path / "cpu.max",
             std::to_string(std::max<std::uint64_t>(quota_us, 1000)) + " " + std::to_string(kPeriodUs)))
    return unavailable("the limits of " + path.string() + " cannot be set");
  return group;
}

ControlGroup::~ControlGroup() {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

}  // namespace orbweaver::sca
