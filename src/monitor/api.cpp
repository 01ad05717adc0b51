#include "monitor/api.h"

#include <charconv>

#include "monitor/assets.h"
#include "monitor/document.h"

namespace orbweaver::monitor {
namespace {

using nlohmann::json;

constexpr std::size_t kMostLogLines = 1000;

HttpResponse no_reading() {
  HttpResponse response = refuse({503, "the domain has not been read in time"});
  response.header.emplace_back("Retry-After", "5");
  return response;
}

/// Answers with what `answer` makes of the latest reading.
template <class Answer>
auto from_reading(const ApiContext& context, Answer answer) {
  return [&context, answer](const HttpRequest& request, const PathValues& values) {
    const Reader::ReadingRef reading = context.reader.latest(reading_deadline());
    return reading ? answer(request, values, *reading) : no_reading();
  };
}

void add_assets(Routes& routes) {
  for (const Asset& each : assets()) {
    std::string path = each.name == "index.html"     ? "/"
                       : each.name == "openapi.json" ? "/api/v1/openapi.json"
                                                     : "/" + std::string(each.name);
    routes.add("GET", std::move(path), [&each](const HttpRequest&, const PathValues&) {
      HttpResponse response;
      response.type = media_type(each.name);
      response.body = each.text;
      return response;
    });
  }
}

/// The collections of the domain, each as a whole and by id.
void add_collections(Routes& routes, const ApiContext& context) {
  for (const char* name : {"nodes", "installed", "applications", "components", "connections"}) {
    const std::string path = std::string("/api/v1/") + name;
    routes.add("GET", path,
               from_reading(context, [name](const HttpRequest&, const PathValues&, const Reading& reading) {
                 return json_response(text_of(reading.document.at(name)));
               }));
    routes.add(
        "GET", path + "/{id}",
        from_reading(context, [name](const HttpRequest&, const PathValues& values, const Reading& reading) {
          const json& all = reading.document.at(name);
          const auto found = all.find(values[0]);
          if (found == all.end()) return refuse({404, "there is no such id"});
          return json_response(text_of(*found));
        }));
  }
}

HttpResponse log_lines(const ApiContext& context, const HttpRequest& request) {
  std::uint64_t after = 0;
  const auto given = request.query.find("after");
  if (given != request.query.end()) {
    const std::string& text = given->second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), after);
    if (error != std::errc() || end != text.data() + text.size())
      return refuse({400, "after is not the number of a line"});
  }
  json lines = json::array();
  for (const LogLine& each : context.source.log(after, kMostLogLines)) lines.push_back(json_of(each));
  return json_response(text_of(lines));
}

HttpResponse metrics(const ApiContext& context, const Reading& reading) {
  HttpResponse response;
  response.type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = metrics_of(reading.snapshot, {reading.version, reading.duration_ns,
                                                context.reader.watches(), context.connections()});
  return response;
}

HttpResponse access_of(const ApiContext& context, const HttpRequest& request) {
  const char* const changes = context.rules.token.empty()         ? "disabled"
                              : has_token(request, context.rules) ? "allowed"
                                                                  : "token required";
  return json_response(text_of({{"changes", changes}}));
}

HttpResponse properties(const ApiContext& context, const std::string& component) {
  const auto read = context.source.properties(component);
  if (!read) return error_response(read.error());
  json result = json::array();
  for (const Property& each : *read) result.push_back(json_of(each));
  return json_response(text_of(result));
}

}  // namespace

HttpResponse json_response(std::string text) {
  HttpResponse response;
  response.body = std::move(text);
  return response;
}

HttpResponse error_response(const Error& error) {
  int status = 500;
  switch (error.kind) {
    case ErrorKind::invalid: status = 422; break;
    case ErrorKind::permission_denied: status = 403; break;
    case ErrorKind::timed_out: status = 504; break;
    case ErrorKind::disconnected: status = 502; break;
    case ErrorKind::transient:
    case ErrorKind::unavailable: status = 503; break;
  }
  return refuse({status, error.message});
}

platform::Deadline reading_deadline() { return platform::Deadline::in_ms(15'000); }

Routes make_routes(const ApiContext& context) {
  Routes routes;
  add_assets(routes);
  add_collections(routes, context);
  routes.add("GET", "/api/v1/domain",
             from_reading(context, [](const HttpRequest&, const PathValues&, const Reading& reading) {
               return json_response(reading.text());
             }));
  routes.add("GET", "/metrics",
             from_reading(context, [&context](const HttpRequest&, const PathValues&, const Reading& reading) {
               return metrics(context, reading);
             }));
  routes.add("GET", "/api/v1/events",
             [&context](const HttpRequest&, const PathValues&) { return event_stream(context); });
  routes.add("GET", "/api/v1/log", [&context](const HttpRequest& request, const PathValues&) {
    return log_lines(context, request);
  });
  routes.add("GET", "/api/v1/access", [&context](const HttpRequest& request, const PathValues&) {
    return access_of(context, request);
  });
  routes.add(
      "GET", "/api/v1/components/{id}/properties",
      [&context](const HttpRequest&, const PathValues& values) { return properties(context, values[0]); });
  add_commands(routes, context);
  return routes;
}

}  // namespace orbweaver::monitor
