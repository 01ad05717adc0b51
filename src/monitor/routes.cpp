#include "monitor/routes.h"

namespace orbweaver::monitor {
namespace {

/// Removes the first segment of a path and returns it.
std::string_view take_segment(std::string_view& path) {
  const std::size_t end = path.find('/', 1);
  const std::string_view segment = path.substr(0, end);
  path = end == std::string_view::npos ? std::string_view() : path.substr(end);
  return segment;
}

}  // namespace

std::optional<PathValues> match_path(std::string_view route, std::string_view path) {
  PathValues values;
  while (!route.empty() && !path.empty()) {
    const std::string_view expected = take_segment(route);
    const std::string_view found = take_segment(path);
    if (expected.size() > 2 && expected[1] == '{') {
      auto value = decode_percent(std::string(found.substr(1)));
      if (!value || value->empty()) return std::nullopt;
      values.push_back(std::move(*value));
    } else if (expected != found) {
      return std::nullopt;
    }
  }
  if (!route.empty() || !path.empty()) return std::nullopt;
  return values;
}

void Routes::add(std::string method, std::string path,
                 std::function<HttpResponse(const HttpRequest&, const PathValues&)> answer) {
  routes_.push_back({std::move(method), std::move(path), std::move(answer)});
}

HttpResponse Routes::answer(const HttpRequest& request) const {
  std::string allowed;
  for (const Route& each : routes_) {
    const auto values = match_path(each.path, request.path);
    if (!values) continue;
    if (each.method == request.method) return each.answer(request, *values);
    allowed += (allowed.empty() ? "" : ", ") + each.method;
  }
  if (allowed.empty())
    return refuse({404, "there is no such page; /api/v1/openapi.json lists what there is"});
  HttpResponse response = refuse({405, "this path takes " + allowed});
  response.header.emplace_back("Allow", allowed);
  return response;
}

}  // namespace orbweaver::monitor
