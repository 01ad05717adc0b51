#include "platform/line_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "platform/pipe.h"
#include "platform/process.h"

namespace orbweaver::platform {
namespace {

using ::testing::EndsWith;

constexpr int kHangMs = 120'000;

/// Lines to a pipe.
struct Written {
  /// Reads the lines from now on.
  void read() {
    reader = std::thread([this] {
      for (bool at_end = false; !at_end;) {
        Poller poller;
        poller.add(pipe.read);
        poller.wait(-1);
        text += read_available(pipe.read, at_end);
      }
    });
  }
  /// All that has been read once the writer has ended.
  std::string end() {
    lines.reset();
    pipe.write.reset();
    reader.join();
    return text;
  }

  Pipe pipe = make_pipe();
  std::unique_ptr<LineWriter> lines = std::make_unique<LineWriter>(pipe.write.get(), kHangMs);
  std::thread reader;
  std::string text;
};

TEST(LineWriter, WritesLinesInTheirOrder) {
  Written written;
  const std::string large(200'000, 'x');
  for (const std::string& line : {std::string("one"), std::string(), large, std::string("last")})
    written.lines->write(line);
  written.read();
  EXPECT_EQ(written.end(), "one\n\n" + large + "\nlast\n");
}

TEST(LineWriter, DropsAndCountsLinesThatAreNotRead) {
  Written written;
  constexpr std::size_t kLines = 100'000;
  const std::string line(99, 'x');
  for (std::size_t i = 0; i < kLines; ++i) written.lines->write(line);
  written.read();
  std::istringstream text(written.end());
  std::size_t read = 0, dropped = 0;
  for (std::string each; std::getline(text, each);) {
    if (each == line) {
      ++read;
    } else {
      EXPECT_THAT(each, EndsWith(" lines were not read in time"));
      dropped += std::strtoul(each.c_str() + std::string_view("… ").size(), nullptr, 10);
    }
  }
  EXPECT_EQ(read + dropped, kLines);
  EXPECT_GT(dropped, 0u);
  EXPECT_LT(read * (line.size() + 1), 2 * LineWriter::kMaxWaitingBytes);
}

TEST(LineWriter, EndsWithoutAReader) {
  // The thread may wait for the pipe until the process ends.
  static const Pipe pipe = make_pipe();
  LineWriter lines(pipe.write.get(), 0);
  for (int i = 0; i < 10; ++i) lines.write(std::string(100'000, 'x'));
}

TEST(LineWriterDeathTest, LeavesSignalsToTheirThreads) {
  const auto signal_it = [] {
    const LineWriter lines(2);
    const TerminationSignals signals;  // later: the thread of the lines has not inherited its mask
    kill(getpid(), SIGTERM);
    Poller poller;
    poller.add(signals.arrived());
    _exit(poller.wait(kHangMs) ? 0 : 1);
  };
  EXPECT_EXIT(signal_it(), ::testing::ExitedWithCode(0), "");
}

TEST(LineWriter, IgnoresAPipeThatHasBeenClosed) {
  Pipe pipe = make_pipe();
  pipe.read.reset();
  LineWriter lines(pipe.write.get(), kHangMs);
  for (int i = 0; i < 10; ++i) lines.write("x");
}

}  // namespace
}  // namespace orbweaver::platform
