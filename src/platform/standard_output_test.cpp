#include "platform/standard_output.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "platform/pipe.h"

namespace orbweaver::platform {
namespace {

/// Standard output is a pipe, until the end of the test.
class StandardOutput : public ::testing::Test {
 protected:
  StandardOutput() {
    std::fflush(stdout);
    before_ = Fd(dup(STDOUT_FILENO));
    dup2(output_.write.get(), STDOUT_FILENO);
    output_.write.reset();
  }
  ~StandardOutput() override { dup2(before_.get(), STDOUT_FILENO); }

  void stop() { EXPECT_EQ(write(stop_.write.get(), "x", 1), 1); }

  Pipe output_ = make_pipe();
  Pipe stop_ = make_pipe();

 private:
  Fd before_;
};

TEST_F(StandardOutput, WritesAll) {
  ASSERT_EQ(write_standard_output("some text", stop_.read), 0);
  std::string read(20, '\0');
  read.resize(static_cast<std::size_t>(::read(output_.read.get(), read.data(), read.size())));
  EXPECT_EQ(read, "some text");
  EXPECT_EQ(wait_while_output_is_read(stop_.read, 0), OutputWait::timed_out);
}

TEST_F(StandardOutput, EndsToWaitForASlowReaderWhenItIsStopped) {
  stop();
  EXPECT_EQ(write_standard_output(std::string(10'000'000, 'x'), stop_.read), ECANCELED);
  EXPECT_EQ(wait_while_output_is_read(stop_.read, -1), OutputWait::stopped);
}

TEST_F(StandardOutput, ReportsThatItsReaderHasClosedIt) {
  output_.read.reset();
  EXPECT_EQ(wait_while_output_is_read(stop_.read, -1), OutputWait::closed);
  EXPECT_EQ(write_standard_output("text", stop_.read), EPIPE);  // and no SIGPIPE
}

}  // namespace
}  // namespace orbweaver::platform
