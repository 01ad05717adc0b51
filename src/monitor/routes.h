#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/http/message.h"

namespace orbweaver::monitor {

/// The decoded segments of a path that stand for the {names} of its route, in their order.
using PathValues = std::vector<std::string>;

/// A method and a path that the server knows.
struct Route {
  std::string method;
  std::string path;  ///< As in OpenAPI: "/api/v1/components/{component}/properties".
  std::function<HttpResponse(const HttpRequest&, const PathValues&)> answer;
};

/// Routes, in which requests are looked up.
class Routes {
 public:
  void add(std::string method, std::string path,
           std::function<HttpResponse(const HttpRequest&, const PathValues&)> answer);
  /// Answers by the route of the request; 404 or 405 if there is none.
  HttpResponse answer(const HttpRequest& request) const;
  const std::vector<Route>& all() const { return routes_; }

 private:
  std::vector<Route> routes_;
};

/// The values in `path` if it matches the path of a route. A segment is decoded after the path was divided,
/// so that an id may contain any character.
std::optional<PathValues> match_path(std::string_view route, std::string_view path);

}  // namespace orbweaver::monitor
