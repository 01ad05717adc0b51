#include "sca/cf222/end_limit.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <semaphore>
#include <string>

#include "platform/fd.h"
#include "platform/testing/becomes_true.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;

TEST(EndLimit, CallsItsFunctionAtTheLimit) {
  std::binary_semaphore called(0);
  const EndLimit limit(std::chrono::milliseconds(1), [&] { called.release(); });
  called.acquire();
}

TEST(EndLimit, CallsNothingWhenItsOwnerHasDoneItsWork) {
  bool is_called = false;
  {
    const EndLimit limit(std::chrono::hours(1), [&] { is_called = true; });
  }
  EXPECT_FALSE(is_called);
}

TEST(EndLimit, EndsTheProcessAlthoughNobodyReadsStandardError) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const platform::Fd read(ends[0]), write(ends[1]);
  const std::string page(PIPE_BUF, 'x');
  for (int pages = fcntl(write.get(), F_GETPIPE_SZ) / PIPE_BUF; pages > 0; --pages)
    ASSERT_EQ(::write(write.get(), page.data(), page.size()), PIPE_BUF);
  const pid_t child = fork();
  if (child == 0) {
    dup2(write.get(), STDERR_FILENO);
    close(read.get());  // a test that is killed ends this process, too
    end_process("domain");
  }
  int status = 0;
  const bool has_ended = becomes_true([&] { return waitpid(child, &status, WNOHANG) == child; });
  EXPECT_TRUE(has_ended);
  if (!has_ended) kill(child, SIGKILL);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

}  // namespace
}  // namespace orbweaver::sca
