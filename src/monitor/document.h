#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "monitor/rates.h"
#include "monitor/snapshot.h"

namespace orbweaver::monitor {

/// The JSON of a domain, as assets/openapi.json describes it (schema Domain). Nodes, applications, components
/// and connections are members of objects, by their ids, so that a merge patch can name them. A value that is
/// not known is left out; there is no null.
nlohmann::json document_of(const Snapshot& snapshot, const RateMeter& rates);

/// The JSON Merge Patch (RFC 7396) that makes `to` of `from`. Neither contains null. An empty object: equal.
nlohmann::json merge_patch(const nlohmann::json& from, const nlohmann::json& to);

/// JSON of properties and of log lines (schemas Property and LogLine).
nlohmann::json json_of(const Property& property);
nlohmann::json json_of(const LogLine& line);

/// The text of JSON; bytes that are no UTF-8 are replaced.
std::string text_of(const nlohmann::json& json);

}  // namespace orbweaver::monitor
