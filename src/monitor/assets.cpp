#include "monitor/assets.h"

#include <algorithm>
#include <cassert>

namespace orbweaver::monitor {

std::string_view asset(std::string_view name) {
  const auto all = assets();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Asset& each) { return each.name == name; });
  assert(found != all.end());
  return found->text;
}

std::string_view media_type(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "application/json";
}

}  // namespace orbweaver::monitor
