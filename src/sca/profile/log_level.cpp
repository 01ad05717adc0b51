#include "sca/profile/log_level.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace orbweaver::sca {

std::optional<std::string> log_level_of(const std::string& level) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kLevels{{
      {"0", "error"},
      {"1", "error"},
      {"2", "warn"},
      {"3", "info"},
      {"4", "debug"},
      {"5", "debug"},
      {"FATAL", "error"},
      {"ERROR", "error"},
      {"WARN", "warn"},
      {"WARNING", "warn"},
      {"INFO", "info"},
      {"DEBUG", "debug"},
      {"TRACE", "debug"},
      {"ALL", "debug"},
      {"OFF", "off"},
  }};
  std::string name = level;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const auto found =
      std::find_if(kLevels.begin(), kLevels.end(), [&](const auto& each) { return each.first == name; });
  if (found == kLevels.end()) return std::nullopt;
  return std::string(found->second);
}

}  // namespace orbweaver::sca
