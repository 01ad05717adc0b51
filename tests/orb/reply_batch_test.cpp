// Batches of replies to pipelined requests (-ORBTune batch-delay-us). A slow servant does not delay finished
// replies.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <optional>

#include "giop/message.h"
#include "platform/socket.h"
#include "platform/testing/waiting_thread.h"
#include "testing/giop_builder.h"
#include "testing/test_orb.h"
#include "transport/plugins.h"

namespace orbtest {
namespace {

namespace transport = orbweaver::transport;
using transport::Deadline;

/// Records, at each upcall, the number of system calls that its thread has made so far.
class Counter final : public virtual CORBA::servant_traits<OrbTest::Watcher>::base_type {
 public:
  std::int32_t twice(std::int32_t n) override {
    {
      const std::lock_guard lock(mutex_);
      calls_.push_back(orbweaver::platform::system_calls_made());
    }
    if (n == stop_at) gate.pass(0);
    return 2 * n;
  }
  std::vector<std::uint64_t> calls() {
    const std::lock_guard lock(mutex_);
    return calls_;
  }
  std::atomic<std::int32_t> stop_at{-1};
  Gate gate;

 private:
  std::mutex mutex_;
  std::vector<std::uint64_t> calls_;
};

struct ReplyBatches : ::testing::TestWithParam<std::string> {
  std::string address() const {
    if (GetParam() == "tcp") return "127.0.0.1:" + free_port();
    return std::string(GetParam() == "unix" ? "@" : "") + "orbweaver-test-replies-" +
           std::to_string(getpid());
  }
  void serve(const Options& options) {
    const std::string at = address();
    Options all{"-ORBListen", GetParam() + ":" + at, "-ORBWait", "block"};
    all.insert(all.end(), options.begin(), options.end());
    server.emplace(all);
    server->root->activate_object(counter);
    key = where(server->orb->object_to_string(server->root->servant_to_reference(counter))).key;
    transport::ChannelOptions channel_options;
    channel_options.frame_length = &orbweaver::giop::frame_length;
    auto connected = transport::find(GetParam())->connect(at, channel_options, Deadline::in_ms(120'000));
    ASSERT_TRUE(connected) << connected.error().message;
    client = std::move(*connected);
  }
  /// Sends the requests `from` to `to` - 1 in one write.
  void ask(std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t id = from; id < to; ++id) {
      const Octets bytes = request(id, key, "twice").ulong(id).bytes();
      auto buffer = client->claim(bytes.size(), Deadline::never());
      ASSERT_TRUE(buffer);
      std::copy(bytes.begin(), bytes.end(), buffer->begin());
      ASSERT_TRUE(client->capabilities().batching->queue(bytes.size(), Deadline::never()));
    }
    ASSERT_TRUE(client->capabilities().batching->flush(Deadline::never()));
  }
  /// The request id of the next reply; 0: none arrived.
  std::uint32_t answered() {
    const auto frame = client->receive(Deadline::in_ms(120'000));
    if (!frame) return 0;
    std::uint32_t id = 0;
    std::memcpy(&id, frame->data() + 12, sizeof id);
    client->release();
    return id;
  }

  const CORBA::servant_reference<Counter> counter = CORBA::make_reference<Counter>();
  std::optional<TestOrb> server;
  Octets key;
  std::unique_ptr<transport::Channel> client;
};

TEST_P(ReplyBatches, AreSentTogetherForPipelinedRequests) {
  serve({"-ORBTune", "batch-delay-us=20000000"});
  ask(1, 11);
  for (std::uint32_t id = 1; id < 11; ++id) ASSERT_EQ(answered(), id);
  const auto calls = counter->calls();
  ASSERT_EQ(calls.size(), 10u);
  EXPECT_EQ(calls.back(), calls.front()) << "system calls between the first and the last";
  // A single request is answered at once by one system call; a second one waits for the next request.
  for (std::uint32_t id = 11; id < 14; ++id) {
    ask(id, id + 1);
    ASSERT_EQ(answered(), id);
  }
  EXPECT_EQ(counter->calls().at(12) - counter->calls().at(11), 2u);
}

TEST_P(ReplyBatches, AreSentSeparatelyByDefault) {
  serve({});
  ask(1, 11);
  for (std::uint32_t id = 1; id < 11; ++id) ASSERT_EQ(answered(), id);
  EXPECT_EQ(counter->calls().back() - counter->calls().front(), 9u);
}

TEST_P(ReplyBatches, AreSentWhenFull) {
  serve({"-ORBTune", "batch-delay-us=20000000", "-ORBTune", "batch-bytes=64"});
  ask(1, 11);
  for (std::uint32_t id = 1; id < 11; ++id) ASSERT_EQ(answered(), id);
  const std::uint64_t calls = counter->calls().back() - counter->calls().front();
  EXPECT_GE(calls, 3u);
  EXPECT_LT(calls, 9u);
}

TEST_P(ReplyBatches, AreNotDelayedByASlowServant) {
  serve({"-ORBTune", "batch-delay-us=2000"});
  counter->stop_at = 3;
  ask(1, 6);
  EXPECT_EQ(answered(), 1u);
  EXPECT_EQ(answered(), 2u);
  EXPECT_TRUE(counter->gate.reached_by(1)) << "the third request is still being served";
  counter->gate.open();
  for (std::uint32_t id = 3; id < 6; ++id) EXPECT_EQ(answered(), id);
}

TEST_P(ReplyBatches, AreSentBeforeShutdown) {
  serve({"-ORBTune", "batch-delay-us=20000000"});
  counter->stop_at = 3;
  ask(1, 6);
  ASSERT_TRUE(counter->gate.reached_by(1));
  orbweaver::platform::testing::WaitingThread ending([&] { server->orb->shutdown(true); });
  EXPECT_TRUE(ending.waits());
  counter->gate.open();
  for (std::uint32_t id = 1; id < 4; ++id) EXPECT_EQ(answered(), id);
  ending.join();
}

INSTANTIATE_TEST_SUITE_P(Transports, ReplyBatches, ::testing::Values("unix", "tcp", "mqueue"),
                         [](const auto& i) { return i.param; });

}  // namespace
}  // namespace orbtest
