#pragma once

#include <atomic>
#include <cstddef>

#include "monitor/access.h"
#include "monitor/metrics.h"
#include "monitor/reader.h"
#include "monitor/routes.h"

namespace orbweaver::monitor {

/// What the routes use. All members outlive the server.
struct ApiContext {
  Source& source;
  Reader& reader;
  const AccessRules& rules;
  std::function<std::size_t()> connections;  ///< Number of open HTTP connections.
  std::size_t event_streams = 48;            ///< At most.
};

/// The routes of the monitor: the page, the data, commands, events and metrics. assets/openapi.json describes
/// them; a test compares both.
Routes make_routes(const ApiContext& context);

/// Adds the routes that change something.
void add_commands(Routes& routes, const ApiContext& context);

/// The response of GET /api/v1/events: one `snapshot` event with the domain, then a `change` event for each
/// reading, with a merge patch, and `log` events with an array of new lines.
HttpResponse event_stream(const ApiContext& context);

/// JSON with status 200.
HttpResponse json_response(std::string text);
/// The response to an error of a command.
HttpResponse error_response(const Error& error);
/// The time that a request may wait for a reading of the domain.
platform::Deadline reading_deadline();

}  // namespace orbweaver::monitor
