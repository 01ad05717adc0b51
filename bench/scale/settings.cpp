#include "settings.h"

#include <algorithm>
#include <charconv>

namespace orbweaver::bench {
namespace {

constexpr ScalePart kParts[] = {ScalePart::clients, ScalePart::objects, ScalePart::components};

bool store(std::uint32_t& field, std::string_view text) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), field);
  return error == std::errc{} && end == text.data() + text.size();
}

/// Numbers separated by commas.
bool store(std::vector<std::uint32_t>& field, std::string_view text) {
  field.clear();
  for (;;) {
    const auto comma = text.find(',');
    if (!store(field.emplace_back(), text.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

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

std::string text_of(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (const std::uint32_t each : numbers) text += (text.empty() ? "" : ",") + std::to_string(each);
  return text;
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
          "--calls", std::to_string(s.calls),   "--callers", text_of(s.callers)};
}

std::optional<ScaleSettings> scale_from_args(const std::vector<std::string>& args) {
  ScaleSettings settings;
  if (args.size() % 2 != 0) return std::nullopt;
  for (std::size_t i = 0; i < args.size(); i += 2)
    if (!store_option(settings, args[i], args[i + 1])) return std::nullopt;
  return settings;
}

}  // namespace orbweaver::bench
