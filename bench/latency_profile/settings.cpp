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

bool store_option(ProfileSettings& settings, const std::string& key, const std::string& value) {
  if (key == "--transport") return store(settings.transport, value);
  if (key == "--wait") return store(settings.wait, value);
  if (key == "--threads") return store(settings.threads, value);
  if (key == "--samples") return store(settings.samples, value);
  if (key == "--packets") return store(settings.packets, value);
  return key == "--interval" && store(settings.interval_us, value);
}

}  // namespace

std::vector<std::string> to_args(const ProfileSettings& s) {
  return {"--transport", s.transport,
          "--wait",      s.wait,
          "--threads",   s.threads,
          "--samples",   std::to_string(s.samples),
          "--packets",   std::to_string(s.packets),
          "--interval",  std::to_string(s.interval_us)};
}

std::optional<ProfileSettings> profile_from_args(const std::vector<std::string>& args) {
  ProfileSettings settings;
  if (args.size() % 2 != 0) return std::nullopt;
  for (std::size_t i = 0; i < args.size(); i += 2)
    if (!store_option(settings, args[i], args[i + 1])) return std::nullopt;
  return settings;
}

}  // namespace orbweaver::bench
