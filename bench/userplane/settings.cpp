#include "settings.h"

#include <charconv>

namespace orbweaver::bench {
namespace {

bool store(std::uint32_t& field, const std::string& text) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), field);
  return error == std::errc{} && end == text.data() + text.size();
}

bool store(std::string& field, const std::string& text) {
  field = text;
  return !text.empty();
}

/// Numbers with commas between them.
bool store(std::vector<std::uint32_t>& field, const std::string& text) {
  field.clear();
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(',', begin);
    field.push_back(0);
    if (!store(field.back(), text.substr(begin, end - begin))) return false;
    if (end == std::string::npos) return true;
    begin = end + 1;
  }
}

std::string joined(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (const std::uint32_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

bool store_option(UserplaneSettings& settings, const std::string& key, const std::string& value) {
  if (key == "--transport") return store(settings.transport, value);
  if (key == "--ip") return store(settings.ip, value);
  if (key == "--batch") return store(settings.batch_us, value);
  if (key == "--spacing") return store(settings.spacing_us, value);
  return key == "--point" && store(settings.point_ms, value);
}

}  // namespace

std::vector<std::string> to_args(const UserplaneSettings& s) {
  return {"--transport", s.transport,
          "--ip",        std::to_string(s.ip),
          "--batch",     std::to_string(s.batch_us),
          "--spacing",   joined(s.spacing_us),
          "--point",     std::to_string(s.point_ms)};
}

std::optional<UserplaneSettings> userplane_from_args(const std::vector<std::string>& args) {
  UserplaneSettings settings;
  if (args.size() % 2 != 0) return std::nullopt;
  for (std::size_t i = 0; i < args.size(); i += 2)
    if (!store_option(settings, args[i], args[i + 1])) return std::nullopt;
  return settings;
}

}  // namespace orbweaver::bench
