#include "services/naming/service_addresses.h"

#include <algorithm>
#include <string_view>

namespace orbweaver::naming {
namespace {

constexpr std::string_view kScheme = "corbaloc:";

bool equals_ignoring_case(char a, char b) { return a == b || (a >= 'A' && a <= 'Z' && a - 'A' + 'a' == b); }

}  // namespace

std::vector<std::string> service_addresses(const std::string& reference) {
  const std::string_view text = reference;
  const std::size_t slash = text.find('/');
  const std::string_view addresses =
      text.substr(0, slash).substr(std::min(kScheme.size(), text.substr(0, slash).size()));
  const bool is_url =
      text.size() >= kScheme.size() && std::equal(kScheme.begin(), kScheme.end(), text.begin(),
                                                  [](char b, char a) { return equals_ignoring_case(a, b); });
  if (!is_url || addresses.find(',') == std::string_view::npos) return {reference};
  const std::string_view key = slash == std::string_view::npos ? std::string_view() : text.substr(slash);
  std::vector<std::string> all;
  for (std::size_t at = 0; at <= addresses.size();) {
    const std::size_t comma = std::min(addresses.find(',', at), addresses.size());
    all.push_back(std::string(kScheme) + std::string(addresses.substr(at, comma - at)) + std::string(key));
    at = comma + 1;
  }
  return all;
}

}  // namespace orbweaver::naming
