#pragma once

#include <cstdio>

/// Checks of a client program, which compiles for several ORBs. One thread.
inline int failures = 0;

/// Prints and counts a check that fails.
inline void check(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "failed: %s\n", what);
}
#define CHECK(CONDITION) check(CONDITION, #CONDITION)

/// Prints the result; returns the exit status of the program.
inline int result_of_checks() {
  if (failures == 0) std::puts("all checks hold");
  return failures == 0 ? 0 : 1;
}
