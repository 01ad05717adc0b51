// Routes that change something. The token has been checked (access.h).
#include <nlohmann/json.hpp>

#include "monitor/api.h"

namespace orbweaver::monitor {
namespace {

using nlohmann::json;

/// Arrays and objects in each other. json::dump() calls itself for each; a body could have 32,000 of them.
constexpr int kMaxNesting = 32;

/// The body of a request, an object of JSON; or why it is refused.
struct Body {
  json object;
  std::optional<Refusal> refusal;
};

Body body_of(const HttpRequest& request) {
  const std::string type = request.header_value("content-type");
  if (type.substr(0, type.find(';')) != "application/json")
    return {{}, Refusal{415, "the body must be JSON: Content-Type: application/json"}};
  bool is_too_deep = false;
  const auto keeps = [&](int depth, json::parse_event_t, json&) {
    is_too_deep = is_too_deep || depth > kMaxNesting;
    return !is_too_deep;
  };
  json parsed = json::parse(request.body, keeps, false);
  if (is_too_deep) return {{}, Refusal{400, "arrays and objects of the body are nested too deep"}};
  if (parsed.is_discarded()) return {{}, Refusal{400, "the body is not JSON"}};
  if (!parsed.is_object()) return {{}, Refusal{400, "the body is not an object"}};
  return {std::move(parsed), {}};
}

/// A member that must be a text which is not empty.
std::optional<std::string> text_member(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string() || found->get_ref<const std::string&>().empty())
    return std::nullopt;
  return found->get<std::string>();
}

HttpResponse done(const ApiContext& context, const Result<void>& result) {
  context.reader.refresh();
  if (!result) return error_response(result.error());
  HttpResponse response;
  response.status = 204;
  return response;
}

HttpResponse create(const ApiContext& context, const HttpRequest& request) {
  const Body body = body_of(request);
  if (body.refusal) return refuse(*body.refusal);
  const auto installed = text_member(body.object, "installed");
  const auto name = text_member(body.object, "name");
  if (!installed || !name) return refuse({400, "the members installed and name must be texts"});
  return done(context, context.source.create(*installed, *name));
}

/// Executes a command of the application with that id.
template <class Command>
HttpResponse command_application(const ApiContext& context, const std::string& id, Command command) {
  if (!context.source.has_application(id)) return refuse({404, "there is no application '" + id + "'"});
  return done(context, command(id));
}

/// A value of a property as text: a number, boolean, sequence or struct may be given as such.
std::optional<std::string> value_text(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return std::nullopt;
  return value.dump();
}

HttpResponse set_properties(const ApiContext& context, const HttpRequest& request,
                            const std::string& component) {
  const Body body = body_of(request);
  if (body.refusal) return refuse(*body.refusal);
  if (body.object.empty()) return refuse({400, "the body names no property"});
  for (const auto& [id, value] : body.object.items()) {
    if (!value_text(value)) return refuse({400, "the value of '" + id + "' is null"});
  }
  for (const auto& [id, value] : body.object.items()) {
    const Result<void> set = context.source.set_property(component, id, *value_text(value));
    if (!set) return done(context, set);
  }
  return done(context, {});
}

}  // namespace

void add_commands(Routes& routes, const ApiContext& context) {
  routes.add("POST", "/api/v1/applications",
             [&context](const HttpRequest& request, const PathValues&) { return create(context, request); });
  routes.add("POST", "/api/v1/applications/{id}/start",
             [&context](const HttpRequest&, const PathValues& values) {
               return command_application(context, values[0],
                                          [&](const auto& id) { return context.source.start(id); });
             });
  routes.add("POST", "/api/v1/applications/{id}/stop",
             [&context](const HttpRequest&, const PathValues& values) {
               return command_application(context, values[0],
                                          [&](const auto& id) { return context.source.stop(id); });
             });
  routes.add("DELETE", "/api/v1/applications/{id}", [&context](const HttpRequest&, const PathValues& values) {
    return command_application(context, values[0],
                               [&](const auto& id) { return context.source.release(id); });
  });
  routes.add("PATCH", "/api/v1/components/{id}/properties",
             [&context](const HttpRequest& request, const PathValues& values) {
               return set_properties(context, request, values[0]);
             });
}

}  // namespace orbweaver::monitor
