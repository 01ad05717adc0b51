#include "platform/last_message.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <limits.h>
#include <unistd.h>

#include <string>

#include "platform/pipe.h"

namespace orbweaver::platform {
namespace {

std::string content(const Fd& pipe) {
  std::string text(1 << 20, '\0');
  const ssize_t size = read(pipe.get(), text.data(), text.size());
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return text;
}

TEST(LastMessage, IsWrittenUpToALimit) {
  const Pipe pipe = make_pipe();
  write_last_message(pipe.write.get(), "the end\n");
  EXPECT_EQ(content(pipe.read), "the end\n");
  write_last_message(pipe.write.get(), std::string(PIPE_BUF + 1, 'x'));
  EXPECT_EQ(content(pipe.read).size(), PIPE_BUF);
}

TEST(LastMessage, IsDroppedByAFullPipeAndOneWithoutAReader) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);  // whose writes wait
  const Fd write(ends[1]);
  {
    const Fd read(ends[0]);
    const std::string page(PIPE_BUF, 'x');
    for (int pages = fcntl(write.get(), F_GETPIPE_SZ) / PIPE_BUF; pages > 0; --pages)
      ASSERT_EQ(::write(write.get(), page.data(), page.size()), PIPE_BUF);
    write_last_message(write.get(), "the end\n");
  }
  write_last_message(write.get(), "the end\n");
}

}  // namespace
}  // namespace orbweaver::platform
