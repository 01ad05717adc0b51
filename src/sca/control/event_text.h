#pragma once

#include <orbweaver/any.h>

#include <nlohmann/json.hpp>
#include <string>

namespace orbweaver::sca {

/// An event of a domain's channel for people and for scripts. Strings of the producer are not escaped.
struct EventText {
  std::string type;      ///< Repository id: "IDL:StandardEvent/StateChangeEventType:1.0"; or "string".
  std::string text;      ///< "device 'd1' is now BUSY (was IDLE)".
  nlohmann::json value;  ///< The members of a known event; of others, text or a simple value.
};

/// Describes an event. Those of the core framework (module StandardEvent of SCA 2.2.2, appendix C, and
/// orbweaver::framework::ProcessEnded) are known. Raises nothing: a malformed one is described as such.
EventText describe_event(const CORBA::Any& event);

/// "2026-11-23T06:41:02.250Z".
std::string utc_time(std::int64_t seconds, std::int32_t nanoseconds);
/// The time of now in this form.
std::string utc_now();

}  // namespace orbweaver::sca
