#include "base/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "platform/fd.h"

namespace orbweaver {
namespace {

/// Replaces standard error by a pipe, until its end.
class StandardErrorPipe {
 public:
  StandardErrorPipe() : before_(fcntl(2, F_DUPFD_CLOEXEC, 3)) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    reading_ = platform::Fd(ends[0]);
    EXPECT_EQ(dup2(ends[1], 2), 2);
    close(ends[1]);
    fcntl(reading_.get(), F_SETFL, O_NONBLOCK);
  }
  ~StandardErrorPipe() {
    dup2(before_, 2);
    close(before_);
  }
  /// What has been written.
  std::string read() const {
    std::string all(1 << 20, '\0');
    std::size_t bytes = 0;
    for (ssize_t got; (got = ::read(reading_.get(), &all[bytes], all.size() - bytes)) > 0;)
      bytes += static_cast<std::size_t>(got);
    all.resize(bytes);
    return all;
  }

 private:
  const int before_;
  platform::Fd reading_;
};

TEST(Log, DropsAndCountsLinesThatNobodyReads) {
  log::set_level("warn");
  const StandardErrorPipe output;
  constexpr int kLines = 100;
  const std::string long_line(2 * log::kMaxLogLineBytes, 'x');
  for (int i = 0; i < kLines; ++i) log::warn(long_line);
  const std::string before = output.read();
  const auto written = std::count(before.begin(), before.end(), '\n');
  EXPECT_GT(written, 0);
  EXPECT_LT(written, kLines);
  EXPECT_EQ(before.back(), '\n') << "a line is written whole";
  log::warn("read again");
  const std::string after = output.read();
  const std::string count = "… " + std::to_string(kLines - written) + " lines dropped";
  EXPECT_NE(after.find(count), std::string::npos) << after;
  EXPECT_NE(after.find("read again"), std::string::npos) << after;
  log::warn("once more");
  EXPECT_EQ(output.read().find("dropped"), std::string::npos);
}

}  // namespace
}  // namespace orbweaver
