#include "sca/device/machine.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>

namespace orbweaver::sca {
namespace {

constexpr int kMaxCpu = 65535;
constexpr int kMaxRealTimePriority = 99;
constexpr int kCapSysNice = 23;  // capabilities(7): any real-time priority
constexpr auto kUnlimited = std::numeric_limits<std::uint64_t>::max();

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

/// The number at the beginning of the text; of an integer, `base` may follow.
template <class Number, class... Base>
std::optional<Number> number(std::string_view text, Base... base) {
  Number value{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base...);
  if (read.ec != std::errc{}) return std::nullopt;
  return value;
}

/// The rest of the first line that starts with `name`, without blanks; empty if there is none.
std::string field(const std::string& text, std::string_view name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name)) continue;
    const auto begin = line.find_first_not_of(" \t:", name.size());
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return {};
}

/// The control groups of this process, by kind of hierarchy, as folders of the file system; each begins with
/// the group itself and ends with the root of the hierarchy.
class ControlGroups {
 public:
  explicit ControlGroups(const std::string& root) {
    // "0::/user.slice/session" in version 2, "4:memory:/docker/6f" in version 1.
    std::istringstream lines(read(root + "/proc/self/cgroup"));
    for (std::string line; std::getline(lines, line);) {
      const auto first = line.find(':');
      const auto second = first == std::string::npos ? first : line.find(':', first + 1);
      if (second == std::string::npos) continue;
      const std::string controllers = line.substr(first + 1, second - first - 1);
      const std::string group = line.substr(second + 1);
      const std::string mount = root + "/sys/fs/cgroup";
      if (controllers.empty()) {
        v2_ = folders(mount, group);
      } else if (has(controllers, "memory")) {
        v1_memory_ = folders(mount + "/memory", group);
      } else if (has(controllers, "cpu")) {
        v1_cpu_ = folders(mount + "/cpu", group);
      }
    }
  }

  /// The smallest of the groups' limits of processor time, in processors.
  double processors() const {
    double least = std::numeric_limits<double>::infinity();
    const auto limit = [&](const std::string& quota, const std::string& period) {
      const auto q = number<double>(quota), p = number<double>(period);
      if (q && p && *q > 0 && *p > 0) least = std::min(least, *q / *p);
    };
    for (const std::string& folder : v2_) {
      const std::string text = read(folder + "/cpu.max");  // "max 100000" or "150000 100000"
      if (const auto blank = text.find(' '); blank != std::string::npos)
        limit(text.substr(0, blank), text.substr(blank + 1));
    }
    for (const std::string& folder : v1_cpu_)
      limit(read(folder + "/cpu.cfs_quota_us"), read(folder + "/cpu.cfs_period_us"));
    return least;
  }

  struct Memory {
    std::uint64_t limit = kUnlimited;
    std::uint64_t free = kUnlimited;
  };
  /// The smallest of the groups' limits of memory, and the smallest amount that a group may still use. Pages
  /// of files count as free, because the kernel reclaims them.
  Memory memory() const {
    Memory least;
    const auto limit = [&](const std::string& folder, const char* limit_file, const char* usage_file,
                           const char* cache_field) {
      const auto bytes = number<std::uint64_t>(read(folder + limit_file));
      if (!bytes) return;  // "max"
      const auto usage = number<std::uint64_t>(read(folder + usage_file)).value_or(0);
      const auto cache = number<std::uint64_t>(field(read(folder + "/memory.stat"), cache_field)).value_or(0);
      const std::uint64_t used = usage - std::min(usage, cache);
      least.limit = std::min(least.limit, *bytes);
      least.free = std::min(least.free, *bytes - std::min(*bytes, used));
    };
    for (const std::string& folder : v2_) limit(folder, "/memory.max", "/memory.current", "inactive_file ");
    for (const std::string& folder : v1_memory_)
      limit(folder, "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file ");
    return least;
  }

 private:
  static bool has(const std::string& controllers, std::string_view name) {
    std::istringstream names(controllers);
    for (std::string each; std::getline(names, each, ',');)
      if (each == name) return true;
    return false;
  }
  /// In a container the group may be outside of what is mounted: then only the root of the mount exists,
  /// which has the container's limits.
  static std::vector<std::string> folders(const std::string& mount, std::string group) {
    std::vector<std::string> all;
    while (!group.empty() && group != "/") {
      if (group.find("..") == std::string::npos) all.push_back(mount + group);
      group.erase(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
    }
    all.push_back(mount);
    return all;
  }

  std::vector<std::string> v2_, v1_cpu_, v1_memory_;
};

int real_time_priority(const std::string& root, const std::string& status) {
  const auto capabilities = number<std::uint64_t>(field(status, "CapEff"), 16).value_or(0);
  if ((capabilities >> kCapSysNice & 1) != 0) return kMaxRealTimePriority;
  const std::string limit = field(read(root + "/proc/self/limits"), "Max realtime priority");
  if (limit.starts_with("unlimited")) return kMaxRealTimePriority;
  return std::clamp(number<int>(limit).value_or(0), 0, kMaxRealTimePriority);
}

std::uint64_t kilobytes(const std::string& memory, std::string_view name) {
  return number<std::uint64_t>(field(memory, name)).value_or(0) * 1024;
}

}  // namespace

std::vector<int> parse_cpu_list(const std::string& text) {
  std::vector<int> cpus;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    int first = 0;
    auto read = std::from_chars(at, end, first);
    if (read.ec != std::errc{}) break;
    int last = first;
    if (read.ptr != end && *read.ptr == '-') {
      read = std::from_chars(read.ptr + 1, end, last);
      if (read.ec != std::errc{}) break;
    }
    for (int cpu = std::max(first, 0); cpu <= std::min(last, kMaxCpu); ++cpu) cpus.push_back(cpu);
    at = read.ptr;
    if (at == end || *at != ',') break;
    ++at;
  }
  return cpus;
}

Machine read_machine(const std::string& root) {
  const std::string proc = root + "/proc";
  const std::string status = read(proc + "/self/status");
  const std::string memory = read(proc + "/meminfo");
  const ControlGroups groups(root);
  const ControlGroups::Memory group_memory = groups.memory();
  Machine machine;
  machine.system = read(proc + "/sys/kernel/ostype");
  machine.release = read(proc + "/sys/kernel/osrelease");
  machine.host = read(proc + "/sys/kernel/hostname");
  machine.processor = field(read(proc + "/cpuinfo"), "model name");
  machine.cpus = parse_cpu_list(field(status, "Cpus_allowed_list"));
  machine.processors = std::min(static_cast<double>(machine.cpus.size()), groups.processors());
  machine.memory_bytes = std::min(kilobytes(memory, "MemTotal"), group_memory.limit);
  machine.free_memory_bytes = std::min(kilobytes(memory, "MemAvailable"), group_memory.free);
  machine.load = number<double>(read(proc + "/loadavg")).value_or(0);
  machine.real_time_priority = real_time_priority(root, status);
  return machine;
}

}  // namespace orbweaver::sca
