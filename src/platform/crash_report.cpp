#include "platform/crash_report.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace orbweaver::platform {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

thread_local const char* crash_text = nullptr;

const char* name_of(int signal) noexcept {
  switch (signal) {
    case SIGSEGV: return "SIGSEGV";
    case SIGBUS: return "SIGBUS";
    case SIGFPE: return "SIGFPE";
    case SIGILL: return "SIGILL";
    default: return "SIGABRT";
  }
}

/// Calls only async-signal-safe functions.
void print_crash(int signal) noexcept {
  if (crash_text != nullptr) {
    // One write, so that lines of other threads do not get between its parts. A long text is cut.
    char line[300];
    const std::string_view name = name_of(signal);
    const std::string_view text(crash_text, ::strnlen(crash_text, sizeof line - name.size() - 1));
    char* end = std::copy(text.begin(), text.end(), line);
    end = std::copy(name.begin(), name.end(), end);
    *end++ = '\n';
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line, static_cast<std::size_t>(end - line));
  }
  // The default action is in force again (SA_RESETHAND); the signal is delivered when this function returns.
  ::raise(signal);
}

}  // namespace

const char* set_crash_text(const char* text) noexcept {
  const char* const before = crash_text;
  crash_text = text;
  return before;
}

void report_crashes() noexcept {
  for (const int signal : kSignals) {
    struct sigaction present {};
    if (::sigaction(signal, nullptr, &present) != 0 || present.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = print_crash;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace orbweaver::platform
