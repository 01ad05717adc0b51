// Portable interceptors that stamp the packets of `orbweaver bench profile`.
#pragma once

#include <cstdint>

#include "bench/latency_profile/stamps.h"

namespace orbweaver::bench {

/// Registers them with the ORBs that this process creates from now on.
void register_stamping_interceptors();

/// The stamps of the packet whose call this thread makes next; nullptr: its calls are not stamped.
/// send_request writes `stub_ns`, receive_other `sent_ns`.
void stamp_calls_of_thread(PacketStamps* packet) noexcept;

/// When the request that this thread executes was received: the time of receive_request_service_contexts. 0
/// without interceptors.
std::int64_t request_received_ns() noexcept;

}  // namespace orbweaver::bench
