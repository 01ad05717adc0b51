// Orbweaver's part of `hops` and `fanout`.
#pragma once

#include <optional>
#include <string>

#include "bench/harness/subject.h"

namespace orbweaver::bench {

/// Returns nullopt if the case can be measured, otherwise a short reason.
std::optional<std::string> cannot_packets(const Case&);
/// Measures packets that each receiver forwards by a one-way call, or that are sent to each of them.
Summary call_packets(const ClientSide&);

}  // namespace orbweaver::bench
