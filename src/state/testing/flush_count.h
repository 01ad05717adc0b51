// Counts what a test program flushes to disks, by definitions of the functions of the C library that do so.
// Included by one source of a program.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

namespace orbweaver::state::testing {

/// Calls of fsync and fdatasync by this program and its libraries.
inline std::atomic<int> flush_count{0};

}  // namespace orbweaver::state::testing

extern "C" int fsync(int fd) {
  ++orbweaver::state::testing::flush_count;
  return static_cast<int>(syscall(SYS_fsync, fd));
}
extern "C" int fdatasync(int fd) {
  ++orbweaver::state::testing::flush_count;
  return static_cast<int>(syscall(SYS_fdatasync, fd));
}
