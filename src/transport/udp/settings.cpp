#include "transport/udp/settings.h"

#include <charconv>

namespace orbweaver::transport::udp {

Result<Settings> Settings::of(const Parameters& parameters) {
  struct Key {
    const char* key;
    const char* former_key;
    std::int64_t Settings::*value;
    std::int64_t least, most;
  };
  static constexpr Key kKeys[] = {
      {"datagram-bytes", "datagram_bytes", &Settings::datagram_bytes, 512, 65'000},
      {"max-age-ms", "max_age_ms", &Settings::max_age_ms, 1, 60'000},
      {"silence-ms", "silence_ms", &Settings::silence_ms, 100, 86'400'000},
      {"idle-ms", "idle_ms", &Settings::idle_ms, 100, 86'400'000}};
  Settings settings;
  for (const auto& [key, text] : parameters) {
    const Key* found = nullptr;
    std::string names;
    for (const Key& each : kKeys) {
      if (key == each.former_key)
        return Error{ErrorKind::invalid, "udp has no option '" + key + "': use udp." + each.key + "=VALUE"};
      if (key == each.key) found = &each;
      names += std::string(names.empty() ? "" : ", ") + each.key;
    }
    if (found == nullptr)
      return Error{ErrorKind::invalid, "udp has no option '" + key + "'; there are " + names};
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (parsed.ec != std::errc() || parsed.ptr != end || value < found->least || value > found->most) {
      return Error{ErrorKind::invalid, "udp." + key + " takes a whole number from " +
                                           std::to_string(found->least) + " to " +
                                           std::to_string(found->most) + ", not '" + text + "'"};
    }
    settings.*(found->value) = value;
  }
  return settings;
}

}  // namespace orbweaver::transport::udp
