#include "settings.h"

#include "bench/harness/option_text.h"

namespace orbweaver::bench {
namespace {

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
  return settings_from_args<UserplaneSettings>(args, store_option);
}

}  // namespace orbweaver::bench
