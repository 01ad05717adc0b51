#include "sca/control/event_text.h"

#include <orbweaver/typecode.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <sstream>

#include "DomainC.h"
#include "StandardEventC.h"
#include "sca/control/call_error.h"

namespace orbweaver::sca {
namespace {

using nlohmann::json;
using StandardEvent::SourceCategoryType;

/// The name of an enumerator without its scope: "BUSY".
template <class Enum>
std::string name_of(Enum value) {
  std::ostringstream text;
  text << value;
  const std::string name = text.str();
  const std::size_t scope = name.rfind(':');
  return scope == std::string::npos ? name : name.substr(scope + 1);
}

const char* noun(SourceCategoryType category) {
  switch (category) {
    case SourceCategoryType::DEVICE_MANAGER: return "node";
    case SourceCategoryType::DEVICE: return "device";
    case SourceCategoryType::APPLICATION_FACTORY: return "installed application";
    case SourceCategoryType::APPLICATION: return "application";
    case SourceCategoryType::SERVICE: return "service";
  }
  return "object";
}

/// Of DomainManagementObjectAddedEventType and …RemovedEventType.
template <class Event>
void describe_object(const Event& event, const char* what, EventText& result) {
  result.text = std::string(noun(event.sourceCategory())) + " '" + event.sourceName() + "' (" +
                event.sourceId() + ") has been " + what;
  result.value = {{"producer_id", event.producerId()},
                  {"source_id", event.sourceId()},
                  {"source_name", event.sourceName()},
                  {"source_category", name_of(event.sourceCategory())}};
}

/// Whether the event is one of the core framework; then it is described.
bool is_known(const CORBA::Any& event, EventText& result) {
  if (StandardEvent::StateChangeEventType change; event >>= change) {
    result.text = "'" + change.sourceId() + "' is now " + name_of(change.stateChangeTo()) + " (was " +
                  name_of(change.stateChangeFrom()) + ")";
    result.value = {{"producer_id", change.producerId()},
                    {"source_id", change.sourceId()},
                    {"category", name_of(change.stateChangeCategory())},
                    {"from", name_of(change.stateChangeFrom())},
                    {"to", name_of(change.stateChangeTo())}};
    return true;
  }
  if (StandardEvent::DomainManagementObjectAddedEventType added; event >>= added) {
    describe_object(added, "added", result);
    return true;
  }
  if (StandardEvent::DomainManagementObjectRemovedEventType removed; event >>= removed) {
    describe_object(removed, "removed", result);
    return true;
  }
  if (StandardEvent::AbnormalComponentTerminationEventType lost; event >>= lost) {
    result.text = "component '" + lost.componentId() + "' of the application '" + lost.applicationId() +
                  "' on '" + lost.deviceId() + "' is lost";
    result.value = {{"device_id", lost.deviceId()},
                    {"component_id", lost.componentId()},
                    {"application_id", lost.applicationId()}};
    return true;
  }
  if (::orbweaver::framework::ProcessEnded ended; event >>= ended) {
    result.text = "process " + std::to_string(ended.process_id()) + " of the device '" + ended.device_id() +
                  "' has ended: " + ended.description();
    result.value = {{"device_id", ended.device_id()},
                    {"process_id", ended.process_id()},
                    {"description", ended.description()}};
    return true;
  }
  return false;
}

std::string type_of(const CORBA::Any& event) {
  try {
    return event.type()->id();
  } catch (const CORBA::Exception&) {  // a type without a repository id
    std::ostringstream text;
    text << event.type();
    return text.str();
  }
}

}  // namespace

EventText describe_event(const CORBA::Any& event) {
  EventText result;
  result.type = type_of(event);
  try {
    if (is_known(event, result)) return result;
    result.text = any_text(event);
    result.value = any_json(event);
  } catch (const CORBA::Exception& e) {
    result.text = "malformed event: " + describe(e);
    result.value = result.text;
  }
  return result;
}

std::string utc_time(std::int64_t seconds, std::int32_t nanoseconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  if (gmtime_r(&time, &parts) == nullptr) return "?";
  char date[32];
  char text[48];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
  // A peer's nanoseconds may have any value.
  std::snprintf(text, sizeof text, "%s.%03dZ", date, static_cast<int>(nanoseconds / 1'000'000) % 1000);
  return text;
}

std::string utc_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  return utc_time(ns / 1'000'000'000, static_cast<std::int32_t>(ns % 1'000'000'000));
}

}  // namespace orbweaver::sca
