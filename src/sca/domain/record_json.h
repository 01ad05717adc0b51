#pragma once

#include <orbweaver/result.h>

#include <string>

#include "sca/domain/domain_records.h"

namespace orbweaver::sca {

/// Whether the text is valid UTF-8, so that JSON keeps it as it is.
bool is_utf8(const std::string& text);

/// Converts a record to JSON (docs/formats/domain-state.md).
std::string to_json_text(const Node& record);
std::string to_json_text(const RegisteredDevice& record);
std::string to_json_text(const Service& record);
std::string to_json_text(const InstalledApplication& record);
std::string to_json_text(const Application& record);

/// Reads a record from JSON. Unknown members are ignored. Fails with ErrorKind::invalid if the text is not
/// JSON, or a member is missing or of another type.
Result<void> from_json_text(const std::string& text, Node& record);
Result<void> from_json_text(const std::string& text, RegisteredDevice& record);
Result<void> from_json_text(const std::string& text, Service& record);
Result<void> from_json_text(const std::string& text, InstalledApplication& record);
Result<void> from_json_text(const std::string& text, Application& record);

}  // namespace orbweaver::sca
