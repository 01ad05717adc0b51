// A block that is forwarded while the pool has space causes no system call where it is granted, read or
// returned.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <orbweaver/loan.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>

#include "raw_ends.h"

namespace blocktest {
namespace {

/// From now on, a system call of any thread but exit_group ends the process with SIGSYS. False if the system
/// cannot do this.
bool forbid_system_calls() {
  sock_filter filter[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
                          {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_exit_group},
                          {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
                          {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS}};
  const sock_fprog program{std::size(filter), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

/// Exporters and importers of a chain, all in this process.
class Chain {
 public:
  /// Passes a new block of 1 MiB through the chain.
  void pass() {
    const auto block = orbweaver::loan<double>(kSamples);
    const void* seen = block.view().data();
    for (Ends& ends : ends_) {
      BlockDescription d;
      if (!ends.exporter.export_block(seen, kSamples * sizeof(double), d)) _exit(2);
      ends.exporter.sent();
      seen = ends.importer.import_block(d, kSamples * sizeof(double), 8);
      if (seen == nullptr) _exit(3);
    }
    for (Ends& ends : ends_) ends.importer.release();
  }

 private:
  static constexpr std::size_t kSamples = 131072;
  std::array<Ends, 8> ends_;
};

[[noreturn]] void pass_blocks_without_system_calls() {
  Chain chain;
  for (int i = 0; i < 1000; ++i) chain.pass();
  if (!forbid_system_calls()) _exit(4);
  for (int i = 0; i < 1000; ++i) chain.pass();
  _exit(0);
}

TEST(ForwardingDeathTest, MakesNoSystemCall) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(pass_blocks_without_system_calls(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace blocktest
