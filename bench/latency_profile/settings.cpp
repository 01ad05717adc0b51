#include "settings.h"

#include "bench/harness/option_text.h"

namespace orbweaver::bench {
namespace {

bool store_flag(bool& field, const std::string& value) {
  field = value == "1";
  return field || value == "0";
}

bool store_option(ProfileSettings& settings, const std::string& key, const std::string& value) {
  if (key == "--transport") return store(settings.transport, value);
  if (key == "--wait") return store(settings.wait, value);
  if (key == "--threads") return store(settings.threads, value);
  if (key == "--samples") return store(settings.samples, value);
  if (key == "--packets") return store(settings.packets, value);
  if (key == "--interceptors") return store_flag(settings.interceptors, value);
  return key == "--interval" && store(settings.interval_us, value);
}

}  // namespace

std::vector<std::string> to_args(const ProfileSettings& s) {
  return {"--transport",    s.transport,
          "--wait",         s.wait,
          "--threads",      s.threads,
          "--samples",      std::to_string(s.samples),
          "--packets",      std::to_string(s.packets),
          "--interval",     std::to_string(s.interval_us),
          "--interceptors", s.interceptors ? "1" : "0"};
}

std::optional<ProfileSettings> profile_from_args(const std::vector<std::string>& args) {
  return settings_from_args<ProfileSettings>(args, store_option);
}

}  // namespace orbweaver::bench
