#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orbweaver::sca {

/// Whether a setting of a component is REDHAWK's level of its log: LOG_LEVEL or DEBUG_LEVEL.
inline bool is_log_level(std::string_view id) { return id == "LOG_LEVEL" || id == "DEBUG_LEVEL"; }

/// The level of -ORBLog ("warn") of a level of REDHAWK: a name (FATAL, ERROR, WARN, INFO, DEBUG, TRACE, in
/// any case; also OFF and ALL) or a number from 0 (FATAL) to 5 (TRACE). nullopt if it is none.
std::optional<std::string> log_level_of(const std::string& level);

}  // namespace orbweaver::sca
