// The daemon of iceoryx, which Cyclone's shared memory needs.
#pragma once

#include <string>

namespace orbweaver::bench {

/// The daemon's program, iox-roudi; empty if it is not installed.
std::string roudi_program();

/// Starts the daemon, of which there is one on a machine. Waits until one that still ends has ended, and the
/// new one is ready. When this process ends, so does the daemon, which removes its shared memory. Throws
/// std::runtime_error.
void start_roudi();

/// The daemon sends SIGTERM to its clients when it ends: this process is to ignore it.
void ignore_end_of_roudi();

}  // namespace orbweaver::bench
