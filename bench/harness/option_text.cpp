#include "option_text.h"

#include <algorithm>
#include <charconv>

#include "plan.h"

namespace orbweaver::bench {

bool store(std::uint32_t& field, std::string_view text) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), field);
  return error == std::errc{} && end == text.data() + text.size();
}

bool store(std::string& field, std::string_view text) {
  field = text;
  return !text.empty();
}

bool store(std::vector<std::uint32_t>& field, std::string_view text) {
  field.clear();
  for (;;) {
    const auto comma = text.find(',');
    if (!store(field.emplace_back(), text.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

std::string joined(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (const std::uint32_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

std::string listed(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& each : words) list += (list.empty() ? "" : ", ") + each;
  return list;
}

void check_option(bool valid, const std::string& what) {
  if (!valid) throw InvalidPlan(what);
}

void check_words(const std::string& option, const std::vector<std::string>& values,
                 const std::vector<std::string>& known) {
  for (const std::string& each : values)
    check_option(std::find(known.begin(), known.end(), each) != known.end(),
                 option + ": unknown value '" + each + "'; use one of " + listed(known));
}

}  // namespace orbweaver::bench
