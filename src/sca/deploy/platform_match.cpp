#include "sca/deploy/platform_match.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

std::string lower(std::string_view text) {
  std::string all;
  for (const char c : text) all += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return all;
}

/// The kernel's name of a machine, and the processor names in profiles that it can run.
struct Machine {
  std::string_view name;
  std::vector<std::string_view> runs;
};

const std::vector<Machine>& machines() {
  // SPDs use the family names of the CORBA component model (x86, ppc, mips, sparc, alpha) as well as kernel
  // names.
  static const std::vector<Machine> all{
      {"x86_64", {"x86_64", "x86-64", "amd64", "x64", "x86", "i386", "i486", "i586", "i686"}},
      {"i686", {"x86", "i386", "i486", "i586", "i686"}},
      {"aarch64", {"aarch64", "arm64", "arm"}},
      {"armv7l", {"armv7l", "armv7", "arm"}},
      {"armv6l", {"armv6l", "armv6", "arm"}},
      {"ppc64le", {"ppc64le", "ppc64el"}},
      {"ppc64", {"ppc64", "ppc", "powerpc", "powerpc64"}},
      {"ppc", {"ppc", "powerpc"}},
  };
  return all;
}

bool runs(const std::string& machine, const std::string& name) {
  const std::string lower_name = lower(name);
  for (const Machine& known : machines()) {
    if (known.name == lower(machine))
      return std::find(known.runs.begin(), known.runs.end(), lower_name) != known.runs.end();
  }
  return lower_name == lower(machine);
}

bool fits(const OperatingSystem& wanted, const Platform& platform) {
  if (lower(wanted.name) != lower(platform.system)) return false;
  const std::string version = lower(wanted.version), present = lower(platform.version);
  if (version.empty() || present.empty()) return true;
  return present.starts_with(version) &&
         (present.size() == version.size() ||
          std::isalnum(static_cast<unsigned char>(present[version.size()])) == 0);
}

/// "is for Linux 5.10 or Win32, and this is Linux 6.1.0-13-amd64"
std::string text_of_mismatch(const std::vector<OperatingSystem>& systems, const Platform& platform) {
  std::vector<std::string> names;
  bool has_version = false;
  for (const OperatingSystem& each : systems) {
    names.push_back(each.name + (each.version.empty() ? "" : " " + each.version));
    has_version = has_version || !each.version.empty();
  }
  return "is for " + one_of(names) + ", and this is " + platform.system +
         (has_version && !platform.version.empty() ? " " + platform.version : "");
}

}  // namespace

std::optional<std::string> platform_mismatch(const std::vector<OperatingSystem>& systems,
                                             const std::vector<std::string>& processors,
                                             const Platform& platform) {
  if (!systems.empty() && !platform.system.empty() &&
      std::none_of(systems.begin(), systems.end(), [&](auto& wanted) { return fits(wanted, platform); }))
    return text_of_mismatch(systems, platform);
  const std::string& processor = platform.processor;
  if (!processors.empty() && !processor.empty() &&
      std::none_of(processors.begin(), processors.end(), [&](auto& name) { return runs(processor, name); })) {
    return "is for the processor " + one_of(processors) + ", and this is " + processor;
  }
  return std::nullopt;
}

}  // namespace orbweaver::sca
