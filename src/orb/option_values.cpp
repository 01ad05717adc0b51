#include "orb/option_values.h"

#include <algorithm>
#include <charconv>

#include "base/log.h"
#include "transport/blocks/link_descriptors.h"
#include "transport/huge_pages.h"

namespace orbweaver::orb {

void ProcessSettings::apply() const {
  if (pool_bytes) transport::blocks::set_pool_bytes(*pool_bytes);
  if (pool_full) transport::blocks::set_pool_full_policy(*pool_full);
  if (huge_pages) transport::enable_huge_pages(*huge_pages);
  if (reserved_descriptors) transport::blocks::reserve_descriptors(*reserved_descriptors);
  if (log_level) log::set_level(*log_level);
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool is_list(const std::string& value) {
  return !value.empty() && value.front() != ',' && value.back() != ',' &&
         value.find(",,") == std::string::npos;
}

Problem parse_number(const std::string& text, std::int64_t min, std::int64_t max, std::int64_t& value) {
  std::int64_t parsed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc() || end != text.data() + text.size() || parsed < min || parsed > max) {
    return "takes a whole number from " + std::to_string(min) + " to " + std::to_string(max) + ", not '" +
           text + "'";
  }
  value = parsed;
  return {};
}

Problem parse_on_off(const std::string& text, bool& value) {
  if (text != "on" && text != "off") return "takes on or off, not '" + text + "'";
  value = text == "on";
  return {};
}

}  // namespace orbweaver::orb
