#pragma once

namespace orbweaver::micro {

/// Writes a line to stderr: "orbweaver: TEXT". At most one line in a second; others are dropped. Any thread.
[[gnu::cold]] void log(const char* text) noexcept;
/// Whether lines are written (-ORBLog). Of the process.
void enable_log(bool enabled) noexcept;

}  // namespace orbweaver::micro
