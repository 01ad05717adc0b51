#include "platform/standard_error.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "platform/descriptors.h"

namespace orbweaver::platform {
namespace {

void replace_standard_error_by_a_pipe_without_a_reader() {
  int ends[2];
  if (pipe(ends) != 0 || dup2(ends[1], 2) != 2) _exit(1);
  close(ends[0]);
  close(ends[1]);
}
bool sigpipe_is_pending() {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, SIGPIPE) == 1;
}

TEST(StandardErrorDeathTest, WritesToAPipeWithoutAReaderRaiseNoSignal) {
  const auto write = [] {
    replace_standard_error_by_a_pipe_without_a_reader();
    write_standard_error("text\n");
    write_standard_error("text\n");
    _exit(sigpipe_is_pending() ? 2 : 0);
  };
  EXPECT_EXIT(write(), ::testing::ExitedWithCode(0), "");
}

TEST(StandardErrorDeathTest, LeavesAPendingSignalOfTheProgram) {
  const auto write = [] {
    replace_standard_error_by_a_pipe_without_a_reader();
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    sigprocmask(SIG_BLOCK, &broken_pipe, nullptr);
    raise(SIGPIPE);
    write_standard_error("text\n");
    _exit(sigpipe_is_pending() ? 0 : 2);
  };
  EXPECT_EXIT(write(), ::testing::ExitedWithCode(0), "");
}

TEST(StandardDescriptorsDeathTest, AreOpenedIfTheyAreClosed) {
  const auto open_them = [] {
    close(0);
    close(2);
    open_standard_descriptors();
    for (int fd = 0; fd <= 2; ++fd)
      if (fcntl(fd, F_GETFD) == -1) _exit(2);
    open_standard_descriptors();
    const Fd next = spare_descriptor();
    _exit(next.get() > 2 ? 0 : 3);
  };
  EXPECT_EXIT(open_them(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace orbweaver::platform
