// Order in which the flusher flushes connections: some are due at once, others not within the time of the
// test.
#include "orb/flusher.h"

#include <gtest/gtest.h>

#include <array>

#include "orb/client/client_connection.h"
#include "platform/testing/thread_observer.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using orbweaver::Bytes;
using orbweaver::ClientConnection;
using orbweaver::ClientConnectionPtr;
using orbweaver::Deadline;
using orbweaver::Error;
using orbweaver::ErrorKind;
using orbweaver::MutableBytes;
using orbweaver::Result;

constexpr std::int64_t kSoon_ns = 1'000'000, kNever_ns = 3'600'000'000'000;

/// A channel without a peer: a flush succeeds while `takes` is set, and times out otherwise.
class NullChannel final : public orbweaver::transport::Channel, private orbweaver::transport::BatchedSending {
 public:
  NullChannel() { capabilities_.batching = this; }
  Result<MutableBytes> claim(std::size_t bytes, Deadline) noexcept override {
    return MutableBytes(room_).first(bytes);
  }
  Result<void> commit(std::size_t, Deadline) noexcept override { return {}; }
  void abandon() noexcept override {}
  Result<Bytes> receive(Deadline) noexcept override { return Error{ErrorKind::timed_out, "nothing"}; }
  void release() noexcept override {}
  void close() noexcept override {}
  const orbweaver::Peer& peer() const noexcept override { return peer_; }

  std::atomic<bool> takes{true};
  std::atomic<int> flushed{0}, refused{0};

 private:
  Result<void> queue(std::size_t, Deadline) noexcept override { return {}; }
  Result<void> flush(Deadline) noexcept override {
    ++(takes ? flushed : refused);
    if (!takes) return Error{ErrorKind::timed_out, "full"};
    return {};
  }

  std::array<std::uint8_t, 64> room_{};
  orbweaver::Peer peer_;
};

struct FlusherOrder : ::testing::Test {
  struct Line {
    NullChannel* channel;
    ClientConnectionPtr connection;
    void queue() const {
      ASSERT_TRUE(connection->sender().claim(8, Deadline::never()));
      ASSERT_TRUE(connection->sender().commit(8, false, Deadline::never()));
    }
  };
  Line line(std::int64_t delay_ns) {
    auto channel = std::make_unique<NullChannel>();
    NullChannel* const itself = channel.get();
    auto connection = ClientConnectionPtr::adopt(new ClientConnection(std::move(channel), "nowhere", 1024));
    connection->set_batching({delay_ns, 4096, &flusher});
    return {itself, std::move(connection)};
  }
  orbweaver::orb::Flusher flusher;
};

TEST_F(FlusherOrder, FlushesTheEarliestDeadlineFirst) {
  const Line late = line(kNever_ns), early = line(kSoon_ns);
  late.queue();
  // The flusher's thread sleeps until the deadline of `late`.
  EXPECT_TRUE(becomes_true([] { return orbweaver::platform::testing::other_threads_sleep(); }));
  early.queue();
  EXPECT_TRUE(becomes_true([&] { return early.channel->flushed == 1; }));
  EXPECT_EQ(late.channel->flushed, 0);
}

TEST_F(FlusherOrder, ReschedulesByDeadline) {
  const Line slow = line(kSoon_ns), late = line(kNever_ns);
  slow.channel->takes = false;
  slow.queue();
  EXPECT_TRUE(becomes_true([&] { return slow.channel->refused > 1; }));
  late.queue();
  const int refused = slow.channel->refused;
  EXPECT_TRUE(becomes_true([&] { return slow.channel->refused > refused + 2; }));
  slow.channel->takes = true;
  EXPECT_TRUE(becomes_true([&] { return slow.channel->flushed == 1; }));
  EXPECT_EQ(late.channel->flushed, 0);
}

}  // namespace
}  // namespace orbtest
