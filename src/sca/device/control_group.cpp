#include "sca/device/control_group.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "orbweaver-device-";
constexpr std::uint64_t kPeriodUs = 100'000;
/// Ancestors of a process that are looked at; processes that end meanwhile make no endless chain.
constexpr int kMostAncestors = 64;
/// Processes may be started in the group while others are moved out of it.
constexpr int kMostMoves = 10;
constexpr std::size_t kMostName = 200;

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

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool has_word(const std::string& text, std::string_view word) {
  std::istringstream words(text);
  return std::find(std::istream_iterator<std::string>(words), {}, word) !=
         std::istream_iterator<std::string>();
}

/// The delegated group, in the hierarchy of version 2: the folder of the group of this process, or of the one
/// that contains it; empty if there is none.
fs::path delegated_group(const std::string& root) {
  std::istringstream lines(read(root + "/proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("0::/")) continue;
    for (const char* const mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
      const fs::path group = line.substr(4);
      const fs::path base = fs::path(root + mount);
      const fs::path folder = group.empty() ? base : base / group;
      if (!is_there(folder / "cgroup.controllers")) continue;
      return folder.filename() == ControlGroup::kOwnProcesses ? folder.parent_path() : folder;
    }
  }
  return {};
}

std::vector<int> processes_in(const fs::path& group) {
  std::istringstream numbers(read(group / "cgroup.procs"));
  return {std::istream_iterator<int>(numbers), {}};
}

/// The parent of a process; 0: unknown.
int parent_of(int pid, const std::string& root) {
  std::istringstream lines(read(root + "/proc/" + std::to_string(pid) + "/status"));
  for (std::string line; std::getline(lines, line);) {
    int parent = 0;
    if (line.starts_with("PPid:") && std::istringstream(line.substr(5)) >> parent) return parent;
  }
  return 0;
}

fs::path program_of(const std::string& pid, const std::string& root) {
  std::error_code failed;
  return fs::read_symlink(root + "/proc/" + pid + "/exe", failed);
}

/// Whether a process executes a program of Orbweaver, or a descendant of such a process does: its devices,
/// and what they execute.
bool is_of_orbweaver(int pid, const std::string& root) {
  const fs::path own = program_of("self", root);
  for (int i = 0; pid > 1 && i < kMostAncestors; ++i, pid = parent_of(pid, root)) {
    const fs::path program = program_of(std::to_string(pid), root);
    if (!program.empty() && (program == own || program.filename().string().starts_with("orbweaver")))
      return true;
  }
  return false;
}

/// Moves the processes in the group to a group in it.
Result<void> move_processes(const fs::path& group, const std::string& root) {
  // Only the root of the hierarchy has no type: there the kernel permits processes beside groups.
  if (!is_there(group / "cgroup.type")) return {};
  for (int i = 0; i < kMostMoves; ++i) {
    const std::vector<int> processes = processes_in(group);
    if (processes.empty()) return {};
    for (const int pid : processes) {
      if (is_of_orbweaver(pid, root)) continue;
      return unavailable("the control group " + group.string() + " has a process that is not Orbweaver's, " +
                         std::to_string(pid) +
                         ": start the node in a group of its own, by systemd-run --scope -p Delegate=yes");
    }
    const fs::path own = group / ControlGroup::kOwnProcesses;
    std::error_code error;
    fs::create_directory(own, error);
    if (error) return unavailable(own.string() + ": " + error.message());
    for (const int pid : processes) {
      const bool moved = write(own / "cgroup.procs", std::to_string(pid));
      if (!moved && is_there(root + "/proc/" + std::to_string(pid)))
        return unavailable("process " + std::to_string(pid) + " cannot be moved to " + own.string());
    }
  }
  return unavailable("processes are started in " + group.string() + " again and again");
}

Result<void> enable_controllers(const fs::path& group) {
  const std::string available = read(group / "cgroup.controllers");
  for (const char* const controller : {"memory", "cpu"}) {
    if (!has_word(available, controller))
      return unavailable(std::string("the controller '") + controller + "' is not available in " +
                         group.string());
    if (has_word(read(group / "cgroup.subtree_control"), controller)) continue;
    if (!write(group / "cgroup.subtree_control", std::string("+") + controller))
      return unavailable(std::string("the controller '") + controller + "' cannot be enabled in " +
                         group.string());
  }
  return {};
}

/// Removes a group, and those in it, as far as they have no processes.
void remove_group(const fs::path& group) {
  std::error_code ignored;
  std::vector<fs::path> folders;
  for (const auto& each : fs::directory_iterator(group, ignored))
    if (each.is_directory(ignored)) folders.push_back(each.path());
  for (const fs::path& folder : folders) fs::remove(folder, ignored);
  fs::remove(group, ignored);
}

/// Removes the groups of devices that do not exist any more.
void remove_left_behind(const fs::path& group, const std::string& root) {
  std::error_code ignored;
  std::vector<fs::path> left;
  for (const auto& each : fs::directory_iterator(group, ignored)) {
    const std::string name = each.path().filename().string();
    if (name.starts_with(kPrefix) && !is_there(root + "/proc/" + name.substr(kPrefix.size())))
      left.push_back(each.path());
  }
  for (const fs::path& each : left) remove_group(each);
}

bool set_limits(const fs::path& group, const GroupLimits& limits) {
  const std::string memory = limits.memory_bytes == 0 ? "max" : std::to_string(limits.memory_bytes);
  std::string quota = "max";
  if (limits.processors > 0) {
    const auto us = static_cast<std::uint64_t>(limits.processors * static_cast<double>(kPeriodUs));
    quota = std::to_string(std::max<std::uint64_t>(us, 1000));  // the least that the kernel admits
  }
  return write(group / "memory.max", memory) &&
         write(group / "cpu.max", quota + " " + std::to_string(kPeriodUs));
}

/// A file name: "DCE:5b-1" becomes "app-DCE_5b-1".
std::string group_folder(const std::string& id) {
  std::string name = "app-";
  for (const char c : id.substr(0, kMostName)) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    name += is_plain ? c : '_';
  }
  return name;
}

}  // namespace

Result<std::unique_ptr<ControlGroup>> ControlGroup::create(int pid, const GroupLimits& limits,
                                                           const std::string& root) {
  const fs::path delegated = delegated_group(root);
  if (delegated.empty()) return unavailable("this machine has no control groups of version 2");
  const std::string available = read(delegated / "cgroup.controllers");
  for (const char* const controller : {"memory", "cpu"}) {
    if (!has_word(available, controller))
      return unavailable(std::string("the controller '") + controller + "' is not available in " +
                         delegated.string());
  }
  if (auto moved = move_processes(delegated, root); !moved) return moved.take_error();
  if (auto enabled = enable_controllers(delegated); !enabled) return enabled.take_error();
  remove_left_behind(delegated, root);
  const fs::path path = delegated / (std::string(kPrefix) + std::to_string(pid));
  std::error_code error;
  fs::create_directory(path, error);
  if (error) return unavailable(path.string() + ": " + error.message());
  std::unique_ptr<ControlGroup> group(new ControlGroup(path.string()));
  if (!set_limits(path, limits)) return unavailable("the limits of " + path.string() + " cannot be set");
  if (auto enabled = enable_controllers(path); !enabled) return enabled.take_error();
  return group;
}

Result<std::string> ControlGroup::application(const std::string& id, const GroupLimits& limits) {
  const fs::path folder = fs::path(path_) / group_folder(id);
  const auto known = applications_.find(folder.string());
  if (known != applications_.end() && known->second == limits) return folder.string();
  if (known == applications_.end()) {
    if (applications_.size() >= kMaxApplications)
      return unavailable("the device has " + std::to_string(kMaxApplications) + " groups of applications");
    std::error_code error;
    fs::create_directory(folder, error);
    if (error) return unavailable(folder.string() + ": " + error.message());
  }
  if (!set_limits(folder, limits)) {
    std::error_code ignored;
    if (known == applications_.end()) fs::remove(folder, ignored);
    return unavailable("the limits of " + folder.string() + " cannot be set");
  }
  applications_[folder.string()] = limits;
  return folder.string();
}

void ControlGroup::remove_ended() {
  std::erase_if(applications_, [](const auto& application) {
    std::error_code error;
    fs::remove(application.first, error);  // the kernel refuses it while there are processes
    return !error;
  });
}

ControlGroup::~ControlGroup() { remove_group(path_); }

}  // namespace orbweaver::sca
