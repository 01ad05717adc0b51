#pragma once

#include <exception>
#include <utility>

/// Keeps exceptions from ending the process, where no caller could do anything about them.
namespace orbweaver {

/// Logs that `what` happened, and why. Never throws.
void log_contained(const char* what, const char* why) noexcept;

/// Calls `work()`. An exception is logged after `what` ("a connection is turned away") and goes no further. False: there
/// was one. For the threads that an ORB makes, and for functions that must not throw.
template <class Work>
bool contained(const char* what, Work&& work) noexcept {
  try {
    std::forward<Work>(work)();
    return true;
  } catch (const std::exception& e) {
    log_contained(what, e.what());
  } catch (...) {
    log_contained(what, "an exception of unknown type");
  }
  return false;
}

}  // namespace orbweaver
