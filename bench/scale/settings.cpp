#include "settings.h"

#include <algorithm>

#include "bench/harness/option_text.h"

namespace orbweaver::bench {
namespace {

constexpr ScalePart kParts[] = {ScalePart::clients, ScalePart::objects, ScalePart::components};

bool store_option(ScaleSettings& settings, const std::string& key, const std::string& value) {
  if (key == "--part") {
    const auto part = scale_part(value);
    if (part) settings.part = *part;
    return part.has_value();
  }
  if (key == "--threads") {
    settings.threads = value;
    return value == "connection" || pool_size(value);
  }
  if (key == "--count") return store(settings.count, value);
  if (key == "--calls") return store(settings.calls, value);
  return key == "--callers" && store(settings.callers, value);
}

}  // namespace

std::string_view name(ScalePart part) {
  switch (part) {
    case ScalePart::clients: return "clients";
    case ScalePart::objects: return "objects";
    case ScalePart::components: break;
  }
  return "components";
}

std::optional<ScalePart> scale_part(std::string_view text) {
  for (const ScalePart each : kParts)
    if (name(each) == text) return each;
  return std::nullopt;
}

std::vector<std::uint32_t> possible_callers(const ScaleSettings& settings) {
  const std::uint32_t most = settings.part == ScalePart::clients ? settings.count : 1;
  std::vector<std::uint32_t> possible;
  std::copy_if(settings.callers.begin(), settings.callers.end(), std::back_inserter(possible),
               [&](std::uint32_t each) { return each <= most; });
  return possible;
}

std::optional<std::uint32_t> pool_size(const std::string& threads) {
  std::uint32_t size = 0;
  if (!threads.starts_with("pool:") || !store(size, std::string_view(threads).substr(5))) return std::nullopt;
  return size >= 1 && size <= 999 ? std::optional(size) : std::nullopt;
}

std::vector<std::string> to_args(const ScaleSettings& s) {
  return {"--part",  std::string(name(s.part)), "--count",   std::to_string(s.count), "--threads", s.threads,
          "--calls", std::to_string(s.calls),   "--callers", joined(s.callers)};
}

std::optional<ScaleSettings> scale_from_args(const std::vector<std::string>& args) {
  return settings_from_args<ScaleSettings>(args, store_option);
}

}  // namespace orbweaver::bench
