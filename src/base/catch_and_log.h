#pragma once

#include <exception>
#include <utility>

/// Containment of exceptions that no caller could handle, so that they do not end the process.
namespace orbweaver {

/// Logs "`what`: `why`" at level warn, limited in rate. Any thread.
void log_caught_exception(const char* what, const char* why) noexcept;

/// Calls `work()` and returns true. An exception of `work` is logged as "`what`: …" and not propagated; the
/// result is false. For the threads of an ORB and for functions that must not throw. Any thread.
template <class Work>
bool catch_and_log(const char* what, Work&& work) noexcept {
  try {
    std::forward<Work>(work)();
    return true;
  } catch (const std::exception& e) {
    log_caught_exception(what, e.what());
  } catch (...) {
    log_caught_exception(what, "exception of unknown type");
  }
  return false;
}

}  // namespace orbweaver
