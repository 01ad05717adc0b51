#include "held.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "bench/harness/memory.h"
#include "bench/scale/process_state.h"

namespace orbweaver::bench {
namespace {

namespace fs = std::filesystem;

HeldBy held_by(const std::string& name, pid_t process) {
  const ProcessMemory memory = memory_of(process);
  return {name,
          static_cast<long>(memory.resident_kib),
          static_cast<long>(memory.private_kib),
          static_cast<long>(descriptors_of(process)),
          static_cast<long>(threads_of(process)),
          process};
}

std::string program_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

/// The descendants of a process.
std::vector<pid_t> descendants_of(pid_t root) {
  std::vector<pid_t> found{root};
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::error_code ignored;
    const std::string tasks = "/proc/" + std::to_string(found[i]) + "/task";
    for (const auto& task : fs::directory_iterator(tasks, ignored)) {
      std::ifstream children(task.path() / "children");
      for (pid_t pid = 0; children >> pid;) found.push_back(pid);
    }
  }
  found.erase(found.begin());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

bool Held::same_counts(const Held& other) const {
  return files == other.files && std::equal(processes.begin(), processes.end(), other.processes.begin(),
                                            other.processes.end(), [](const HeldBy& one, const HeldBy& two) {
                                              return one.process == two.process &&
                                                     one.descriptors == two.descriptors &&
                                                     one.threads == two.threads;
                                            });
}

bool Held::no_more_than(const Held& other) const {
  return files <= other.files && std::equal(processes.begin(), processes.end(), other.processes.begin(),
                                            other.processes.end(), [](const HeldBy& one, const HeldBy& two) {
                                              return one.process == two.process &&
                                                     one.descriptors <= two.descriptors &&
                                                     one.threads <= two.threads;
                                            });
}

long Held::sum(long HeldBy::*member) const {
  long sum = 0;
  for (const HeldBy& each : processes) sum += each.*member;
  return sum;
}

void add_processes(const std::string& name, pid_t process, std::vector<HeldBy>& processes) {
  processes.push_back(held_by(name, process));
  for (const pid_t pid : descendants_of(process)) processes.push_back(held_by(program_of(pid), pid));
}

long files_in(const std::string& folder) {
  std::error_code ignored;
  return std::distance(fs::recursive_directory_iterator(folder, ignored), fs::recursive_directory_iterator());
}

long state_kib_in(const std::string& folder) {
  std::error_code ignored;
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().find(".sqlite") == std::string::npos) continue;
    const auto size = entry.file_size(ignored);
    if (!ignored) bytes += size;
  }
  return static_cast<long>(bytes / 1024);
}

}  // namespace orbweaver::bench
