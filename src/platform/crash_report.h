#pragma once

namespace orbweaver::platform {

/// Sets the text that is printed if the calling thread crashes, in front of the signal's name; null: nothing
/// is printed. The text must be valid until the next call. Returns the text set before.
const char* set_crash_text(const char* text) noexcept;

/// From now on, a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) of a thread with a text prints a line on
/// standard error, "TEXTSIGSEGV" with at most 290 bytes of the text, before the signal ends the process.
/// Signals that the program or a sanitizer handles are left to them.
void report_crashes() noexcept;

}  // namespace orbweaver::platform
