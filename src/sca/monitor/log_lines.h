#pragma once

#include <orbweaver/services/log_service.h>

#include "monitor/snapshot.h"

namespace orbweaver::sca {

/// Length of the texts of a line, which any client of the log may have written, in octets; longer ones are
/// cut and made printable.
inline constexpr std::size_t kMostLineBytes = 2000, kMostProducerBytes = 200;
/// What line_of() uses of each string of a record, in octets: a character that does not fit is complete.
inline constexpr std::size_t kMostReadBytes = kMostLineBytes + 4;

/// A record of a domain's log as a line for the monitor.
monitor::LogLine line_of(const services::LogEntry& record);

}  // namespace orbweaver::sca
