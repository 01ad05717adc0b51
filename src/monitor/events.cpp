// Server-sent events (WHATWG HTML, 9.2).
#include <algorithm>

#include "monitor/api.h"
#include "monitor/document.h"

namespace orbweaver::monitor {
namespace {

constexpr std::size_t kMostLinesAtOnce = 200;

/// An event. `data` is one line, as JSON is.
std::string event(const char* name, const std::string& data) {
  return std::string("event: ") + name + "\ndata: " + data + "\n\n";
}

/// What one browser has been sent. Used by the thread of its connection.
class EventStream {
 public:
  explicit EventStream(const ApiContext& context) : context_(context), watch_(context.reader) {}

  /// The next events; empty if there are none for a second. Waits.
  std::optional<std::string> next() {
    std::string text = version_ == 0 ? "retry: 2000\n\n" : "";
    const auto deadline = platform::Deadline::in_ms(1000);
    const auto reading =
        version_ == 0 ? context_.reader.latest(deadline) : context_.reader.newer(version_, deadline);
    if (reading) {
      // A slow browser may have missed readings, whose patches are gone.
      const bool follows = version_ != 0 && reading->version == version_ + 1;
      text += follows ? event("change", reading->patch) : event("snapshot", reading->text());
      version_ = reading->version;
    }
    nlohmann::json lines = nlohmann::json::array();
    for (const LogLine& each : context_.source.log(last_line_, kMostLinesAtOnce)) {
      last_line_ = std::max(last_line_, each.number);
      lines.push_back(json_of(each));
    }
    if (!lines.empty()) text += event("log", text_of(lines));
    return text;
  }

 private:
  const ApiContext& context_;
  Reader::Watch watch_;
  std::uint64_t version_ = 0;
  std::uint64_t last_line_ = 0;
};

}  // namespace

HttpResponse event_stream(const ApiContext& context) {
  if (context.reader.watches() >= context.event_streams) {
    HttpResponse response = refuse({503, "the monitor has too many event streams"});
    response.header.emplace_back("Retry-After", "5");
    return response;
  }
  HttpResponse response;
  response.type = "text/event-stream";
  response.next = [stream = std::make_shared<EventStream>(context)] { return stream->next(); };
  return response;
}

}  // namespace orbweaver::monitor
