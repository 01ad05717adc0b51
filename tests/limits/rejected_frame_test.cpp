// Frames that a receiver rejects, and their log lines.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>

#include "base/log.h"
#include "connected_pair.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

/// Frames that a receiver rejects, each with one log line.
class RejectedFrame : public ::testing::TestWithParam<const char*> {
 protected:
  static std::string line_about(const std::function<void(Channel& near)>& send_it) {
    orbweaver::log::set_level("warn");
    orbweaver::log::reset_limits();
    ConnectedPair pair(GetParam(), std::make_shared<ReceiveBudget>(64'000'000), 65536);
    ::testing::internal::CaptureStderr();
    std::thread sending([&] { send_it(*pair.near); });
    const auto frame = pair.far->receive(Deadline::in_ms(120'000));
    EXPECT_FALSE(frame);
    EXPECT_FALSE(pair.far->receive(Deadline::in_ms(120'000))) << "the connection is closed";
    pair.near->close();
    sending.join();
    std::string log = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
    return log;
  }
};

TEST_P(RejectedFrame, BeyondTheLimitIsLoggedWithTheOption) {
  const std::string log =
      line_about([](Channel& near) { (void)send(near, 100'000, Deadline::in_ms(120'000)); });
  EXPECT_THAT(log, ::testing::HasSubstr("the limit is 65536 (-ORBMaxMessageBytes)"));
}

TEST_P(RejectedFrame, ThatIsNoGiopIsLogged) {
  const std::string log = line_about([](Channel& near) {
    auto buffer = near.claim(64, Deadline::in_ms(120'000));
    ASSERT_TRUE(buffer);
    std::memset(buffer->data(), 'x', 64);
    EXPECT_TRUE(near.commit(64, Deadline::in_ms(120'000)));
  });
  EXPECT_THAT(log, ::testing::HasSubstr("not a GIOP message"));
}

INSTANTIATE_TEST_SUITE_P(Transports, RejectedFrame, ::testing::Values("shm", "unix", "tcp", "mqueue", "udp"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace orbtest
