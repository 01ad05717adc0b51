#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <utility>

#include "transport/testing/decorators.h"
#include "transport/testing/ends.h"
#include "transport/udp/udp_channel.h"

/// Tests of UDP connections between two channels, over links that lose and corrupt datagrams.
namespace orbweaver::transport::testing {
namespace {

using namespace udp;

/// Sends `count` frames through `channel`, one after the other, closes it, and returns the numbers that
/// arrive at `far`.
std::vector<std::uint32_t> arrived(Channel& channel, Channel& far, std::uint32_t count, std::size_t bytes) {
  std::vector<std::uint32_t> numbers;
  const auto take = [&](Deadline deadline) {
    const Result<Bytes> frame = far.receive(deadline);
    if (!frame) return frame.error().kind == ErrorKind::timed_out;
    std::uint32_t number = 0;
    std::memcpy(&number, frame->data() + 8, sizeof number);
    EXPECT_TRUE(is_frame(*frame, bytes, number));
    numbers.push_back(number);
    far.release();
    return true;
  };
  for (std::uint32_t i = 0; i < count && send_frame(channel, bytes, i); ++i) take(Deadline::in_ms(0));
  channel.close();
  while (take(hang_deadline())) {
  }
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  EXPECT_EQ(std::adjacent_find(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

/// How often the calling thread has waited in the kernel.
long times_this_thread_slept() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

Ends udp_ends(const Parameters& parameters = {}, WaitStrategy wait = WaitStrategy::adaptive) {
  ChannelOptions options = options_for(wait);
  options.parameters = std::make_shared<const Parameters>(parameters);
  return connect_ends(udp_transport(), "", options, options);
}

TEST(Udp, DeliversEverySizeInAnyDatagramSize) {
  for (const char* const datagram_bytes : {"60000", "1400", "512"}) {
    SCOPED_TRACE(datagram_bytes);
    Ends ends = udp_ends({{"datagram-bytes", datagram_bytes}});
    FrameSizes sizes(3, 32'000);
    for (std::uint32_t i = 0; i < 100; ++i) {
      const std::size_t bytes = sizes.next();
      ASSERT_TRUE(ok(send_frame(*ends.near, bytes, i)));
      ASSERT_TRUE(receives(*ends.far, bytes, i));
    }
  }
}

TEST(Udp, SendsALargeFrameInFewSystemCalls) {
  Ends ends = udp_ends({{"datagram-bytes", "1400"}});
  ASSERT_TRUE(ok(send_frame(*ends.near, 100'000, 0)));
  ASSERT_TRUE(receives(*ends.far, 100'000, 0));
  std::uint64_t before = platform::system_calls_made();
  ASSERT_TRUE(ok(send_frame(*ends.near, 100'000, 1)));  // 74 datagrams
  EXPECT_LE(platform::system_calls_made() - before, 4u);
  before = platform::system_calls_made();
  ASSERT_TRUE(receives(*ends.far, 100'000, 1));
  EXPECT_LE(platform::system_calls_made() - before, 12u);
}

/// Whether a receive with a deadline that `deadline` makes has slept and made, before that, at most `calls`
/// system calls, while frames arrive one by one. The receive before it has emptied the socket.
bool sleeps_within(std::uint64_t calls, Deadline (*deadline)()) {
  Ends ends = udp_ends({}, WaitStrategy::block);
  std::atomic<bool> seen{false}, wanted{true};
  std::thread sender([&] {
    for (; !seen; pause_ms(1)) {
      if (wanted.exchange(false) && !send_frame(*ends.near, 100, 0)) break;
    }
  });
  bool found = false, has_received = false;
  for (const Deadline enough = hang_deadline(); !found && !enough.passed();) {
    const Deadline until = deadline();
    const std::uint64_t before = platform::system_calls_made();
    const long sleeps = times_this_thread_slept();
    const bool is_next = std::exchange(has_received, bool(ends.far->receive(until)));
    if (!has_received) continue;
    found = is_next && !until.passed() && times_this_thread_slept() != sleeps &&
            platform::system_calls_made() - before <= calls;
    ends.far->release();
    wanted = true;
  }
  seen = true;
  sender.join();
  return found;
}

TEST(Udp, WaitsForAFrameInTheSystemCallThatReceivesIt) { EXPECT_TRUE(sleeps_within(1, hang_deadline)); }

TEST(Udp, ReceivesAFrameWithADeadlineInFewSystemCalls) {
  EXPECT_TRUE(sleeps_within(3, [] { return Deadline::in_ms(10); }));
}

TEST(Udp, EndsABlockedReceiveWhenItIsClosed) {
  Ends ends = udp_ends({}, WaitStrategy::block);
  for (std::uint32_t i = 0; i < 2; ++i) {
    ASSERT_TRUE(ok(send_frame(*ends.near, 100, i)));
    ASSERT_TRUE(receives(*ends.far, 100, i));
  }
  std::uint64_t malformed = 0;
  WaitingThread receiver([&] {
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, ends.far->receive(hang_deadline())));
    malformed = static_cast<const UdpChannel&>(*ends.far).counters().malformed;
  });
  EXPECT_TRUE(receiver.waits());
  ends.far->close();
  receiver.join();
  EXPECT_EQ(malformed, 0u);
}

TEST(Udp, LosesOnlyAffectedFrames) {
  {
    Ends ends = udp_ends();
    LossyChannel near(std::move(ends.near), 4, 1);
    EXPECT_EQ(arrived(near, *ends.far, 200, 5000).size() + near.lost(), 200u);
    EXPECT_GT(near.lost(), 0u);
  }
  {
    Ends ends = udp_ends();
    SlowReaderChannel far(std::move(ends.far), std::chrono::microseconds(200));
    EXPECT_EQ(arrived(*ends.near, far, 100, 1000).size(), 100u);
  }
  {
    Ends ends = udp_ends();
    ClosingChannel near(std::move(ends.near), 5);
    EXPECT_EQ(arrived(near, *ends.far, 10, 1000).size(), 5u);
  }
}

TEST(Udp, DeliversOrDisconnectsOnCorruption) {
  Ends ends = udp_ends();
  CorruptingChannel near(std::move(ends.near), 3, 7);
  std::uint32_t changed = 0;
  for (std::uint32_t i = 0; i < 100 && send_frame(near, 1000, i); ++i) {
    const Result<Bytes> frame = ends.far->receive(hang_deadline());
    if (frame)
      changed += is_frame(*frame, 1000, i) ? 0 : 1;
    else
      EXPECT_TRUE(fails_with(ErrorKind::disconnected, frame));
    changed += frame ? 0 : 1;
    if (!frame) break;
    ends.far->release();
  }
  EXPECT_EQ(changed, near.corrupted());
}

TEST(Udp, KeepsTheConnectionOfAWaitingCall) {
  Ends ends = udp_ends({{"idle-ms", "1500"}, {"silence-ms", "1500"}});
  ASSERT_TRUE(ok(send_frame(*ends.near, 100, 0)));
  ASSERT_TRUE(receives(*ends.far, 100, 0));
  WaitingThread waiting([&] { EXPECT_TRUE(receives(*ends.near, 100, 0)); });
  EXPECT_TRUE(waiting.waits());
  pause_ms(2'000);                                  // the servant is busy for longer than both times
  EXPECT_TRUE(ok(send_frame(*ends.near, 100, 1)));  // another caller
  EXPECT_TRUE(ok(send_frame(*ends.far, 100, 0)));
  waiting.join();
  pause_ms(2'000);
  EXPECT_TRUE(fails_with(ErrorKind::disconnected, send_frame(*ends.near, 100, 2)))
      << "idle: the server may be gone";
}

TEST(Udp, DetectsAByeInASendOnlyChannel) {
  Ends ends = udp_ends();
  ASSERT_TRUE(ok(send_frame(*ends.near, 100, 0)));
  ends.far->close();
  const Deadline enough = hang_deadline();
  while (send_frame(*ends.near, 100, 1)) {
    ASSERT_FALSE(enough.passed());
    pause_ms(1);
  }
}

TEST(Udp, DetectsAByeInAChannelThatIsNotPolledAnyMore) {
  Ends ends = udp_ends();
  ASSERT_TRUE(ends.near->capabilities().readiness->arm()) << "as a client that waits for a reply";
  EXPECT_TRUE(fails_with(ErrorKind::timed_out, ends.near->receive(Deadline::in_ms(0))));
  ASSERT_TRUE(ok(send_frame(*ends.near, 100, 0)));
  ends.far->close();
  const Deadline enough = hang_deadline();
  while (send_frame(*ends.near, 100, 1)) {  // one-way calls from then on
    ASSERT_FALSE(enough.passed());
    pause_ms(1);
  }
}

TEST(Udp, SharesThePortAmongConnections) {
  auto acceptor = std::move(*udp_transport().listen("", options_for()));
  std::vector<std::unique_ptr<Channel>> near, far;
  std::thread accepting([&] {
    for (int i = 0; i < 5; ++i) far.push_back(std::move(*acceptor->accept()));
  });
  for (int i = 0; i < 5; ++i) {
    near.push_back(std::move(*udp_transport().connect(acceptor->address(), options_for(), hang_deadline())));
    EXPECT_EQ(near.back()->peer().address, acceptor->address());
  }
  accepting.join();
  for (std::uint32_t i = 0; i < 5; ++i) ASSERT_TRUE(ok(send_frame(*near[i], 100, i)));
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_TRUE(receives(*far[i], 100, i));
  // The port is still exclusive to this server.
  EXPECT_TRUE(fails_with(ErrorKind::unavailable, udp_transport().listen(acceptor->address(), options_for())));
}

TEST(Udp, ValidatesItsOptions) {
  EXPECT_TRUE(fails_with(ErrorKind::invalid, udp_transport().check({{"max-age", "5"}})));
  EXPECT_TRUE(fails_with(ErrorKind::invalid, udp_transport().check({{"silence-ms", "soon"}})));
  EXPECT_TRUE(fails_with(ErrorKind::invalid, udp_transport().check({{"datagram-bytes", "70000"}})));
  EXPECT_TRUE(ok(udp_transport().check({{"max-age-ms", "50"}, {"datagram-bytes", "1200"}})));
}

TEST(Udp, NamesTheKeyThatReplacesAFormerOne) {
  const auto error_of = [](const char* key) {
    const auto checked = udp_transport().check({{key, "1000"}});
    return checked ? std::string() : checked.error().message;
  };
  EXPECT_EQ(error_of("max_age_ms"), "udp has no option 'max_age_ms': use udp.max-age-ms=VALUE");
  EXPECT_EQ(error_of("silence_ms"), "udp has no option 'silence_ms': use udp.silence-ms=VALUE");
  EXPECT_EQ(error_of("idle_ms"), "udp has no option 'idle_ms': use udp.idle-ms=VALUE");
  EXPECT_EQ(error_of("datagram_bytes"), "udp has no option 'datagram_bytes': use udp.datagram-bytes=VALUE");
  EXPECT_EQ(error_of("age"),
            "udp has no option 'age'; there are datagram-bytes, max-age-ms, silence-ms, idle-ms");
}

}  // namespace
}  // namespace orbweaver::transport::testing
