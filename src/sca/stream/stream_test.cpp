#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include <orbweaver/loan.h>
#include <orbweaver/sca/detail/packet_queue.h>

#include "platform/testing/waiting_thread.h"
#include "transport/blocks/pool.h"

namespace orbweaver::sca {
namespace {

PacketHeader number(std::uint64_t n, std::uint64_t stream = 1, bool end = false) {
  return {stream, n, 0, 0, end};
}

TEST(LatencyHistogram, PutsEachValueIntoItsBucket) {
  for (int shift = 0; shift < 64; ++shift) {
    for (std::uint64_t extra : {0ull, 1ull, 3ull}) {
      const std::uint64_t v = (std::uint64_t{1} << shift) + extra;
      const std::size_t bucket = LatencyHistogram::bucket_of(v);
      ASSERT_LT(bucket, LatencyHistogram::kBuckets);
      EXPECT_LE(v, LatencyHistogram::upper_ns(bucket));
      if (bucket > 0) {
        EXPECT_GT(v, LatencyHistogram::upper_ns(bucket - 1));
      }
    }
  }
  EXPECT_EQ(LatencyHistogram::bucket_of(~0ull), LatencyHistogram::kBuckets - 1);
  EXPECT_EQ(LatencyHistogram::upper_ns(LatencyHistogram::kBuckets - 1), ~0ull);
}

TEST(LatencyHistogram, LimitsBucketWidthToAnEighth) {
  for (std::size_t b = 8; b < LatencyHistogram::kBuckets; ++b) {
    const double low = static_cast<double>(LatencyHistogram::upper_ns(b - 1)) + 1;
    const double high = static_cast<double>(LatencyHistogram::upper_ns(b)) + 1;
    EXPECT_LE(high / low, 1.1251) << b;
  }
}

TEST(LatencyHistogram, ReportsPercentilesAsBucketUpperBounds) {
  LatencyHistogram h;
  for (int i = 0; i < 99; ++i) h.add(1000);
  h.add(70000);
  EXPECT_EQ(percentile_ns(h.counts(), 50, h.max_ns()), 1023u);
  EXPECT_EQ(percentile_ns(h.counts(), 99, h.max_ns()), 1023u);
  EXPECT_EQ(percentile_ns(h.counts(), 100, h.max_ns()), 70000u);
  EXPECT_EQ(percentile_ns({}, 50, 0), 0u);
  EXPECT_EQ(percentile_ns(std::vector<std::uint64_t>(10000, 1), 100, 5), 5u) << "beyond the last bucket";
}

TEST(StreamMonitor, CountsLostAndReorderedPackets) {
  StreamMonitor monitor;
  for (const std::uint64_t n : {1, 2, 5, 6, 6}) monitor.see(number(n, 7), 4, 10);
  EXPECT_EQ(monitor.figures()[0].lost, 3u) << "0, 3 and 4";
  EXPECT_EQ(monitor.figures()[0].reordered, 1u) << "6 again";
  monitor.see(number(3, 7), 4, 10);
  EXPECT_EQ(monitor.figures()[0].lost, 2u);
  EXPECT_EQ(monitor.figures()[0].reordered, 2u);
}

TEST(StreamMonitor, CountsNumbersThatJumpRepeatOrRunBackwardsExactly) {
  StreamMonitor monitor;
  constexpr std::uint64_t kJump = std::uint64_t{1} << 31;
  std::vector<std::uint64_t> numbers = {0, 1, 2, kJump, kJump + 1, kJump + 1, kJump + 1, 3, 4};
  for (std::uint64_t n = 200; n > 100; --n) numbers.push_back(n);
  for (const std::uint64_t n : numbers) monitor.see(number(n, 7), 4, 10);
  const auto figures = monitor.figures();
  EXPECT_EQ(figures[0].packets, numbers.size());
  EXPECT_EQ(figures[0].lost, 96u) << "5 to 100; those of a jump are not lost";
  EXPECT_EQ(figures[0].reordered, 2u + 99u) << "the repetitions, and 199 to 101";
}

TEST(StreamMonitor, KeepsStreamsApart) {
  StreamMonitor monitor;
  monitor.see(number(0, 7), 100, 10);
  monitor.see(number(0, 8), 50, 20);
  monitor.see(number(1, 7, true), 100, 30);
  const auto figures = monitor.figures();
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_EQ(figures[0].stream_id, 7u);
  EXPECT_EQ(figures[0].bytes, 200u);
  EXPECT_EQ(figures[0].first_ns, 10);
  EXPECT_EQ(figures[0].last_ns, 30);
  EXPECT_TRUE(figures[0].end_of_stream);
  EXPECT_FALSE(monitor.all_ended(1));
  monitor.see(number(1, 8, true), 0, 40);
  EXPECT_TRUE(monitor.all_ended(2));
  EXPECT_FALSE(monitor.all_ended(3)) << "a third stream is expected";
}

TEST(StreamMonitor, DoesNotCountTheEndOfAStreamAsAPacket) {
  StreamMonitor monitor;
  monitor.see(number(0, 7), 100, 10);
  monitor.see(number(1, 7, true), 0, 30);
  const auto figures = monitor.figures();
  EXPECT_EQ(figures[0].packets, 1u);
  EXPECT_EQ(figures[0].last_ns, 10);
  EXPECT_EQ(figures[0].lost, 0u);
  EXPECT_TRUE(figures[0].end_of_stream);
  std::uint64_t timed = 0;
  for (const std::uint64_t count : figures[0].latency) timed += count;
  EXPECT_EQ(timed, 1u);
  StreamMonitor with_samples;
  with_samples.see(number(0, 7, true), 4, 10);
  EXPECT_EQ(with_samples.figures()[0].packets, 1u) << "an end of stream with samples is counted as a packet";
}

TEST(StreamMonitor, LimitsTheNumberOfStreams) {
  StreamMonitor monitor;
  for (std::uint64_t id = 0; id < 1000; ++id)
    EXPECT_EQ(monitor.see(number(0, id), 1, 1).is_known, id < StreamMonitor::kMaxStreams);
  EXPECT_EQ(monitor.figures().size(), StreamMonitor::kMaxStreams);
}

TEST(StreamMonitor, TreatsFuturePacketsAsZeroLatency) {
  StreamMonitor monitor;
  monitor.see({1, 0, 5000, 0, false}, 1, 1000);
  EXPECT_EQ(monitor.figures()[0].max_latency_ns, 0u);
}

/// A queue of floats with its event count.
struct FloatQueue : EventCount, PacketQueue<float> {
  explicit FloatQueue(std::size_t limit) : PacketQueue<float>(limit, static_cast<EventCount&>(*this)) {}
  /// Takes a packet and releases it. False if there is none.
  bool handle_one() {
    ReceivedPacket<float> packet;
    if (!take(packet)) return false;
    done(std::move(packet));
    return true;
  }
};

TEST(PacketQueue, KeepsOrderAndCopiesSamplesInOrdinaryMemory) {
  FloatQueue queue(4);
  std::vector<float> samples{1, 2, 3};
  ASSERT_TRUE(queue.push(number(0), samples));
  samples[0] = 9;
  ASSERT_TRUE(queue.push(number(1), samples));
  ReceivedPacket<float> packet;
  ASSERT_TRUE(queue.take(packet));
  EXPECT_EQ(packet.header.sequence_number, 0u);
  EXPECT_EQ(packet.copy, (std::vector<float>{1, 2, 3}));
  queue.done(std::move(packet));
  ASSERT_TRUE(queue.take(packet));
  EXPECT_EQ(packet.samples[0], 9);
  queue.done(std::move(packet));
  EXPECT_FALSE(queue.take(packet));
  EXPECT_EQ(queue.high_water(), 2u);
  EXPECT_EQ(queue.copied_bytes(), 24u);
}

TEST(PacketQueue, HoldsSamplesInABlockUntilTheyAreHandled) {
  FloatQueue queue(2);
  const float* data = nullptr;
  {
    auto block = loan<float>(4096);
    data = block.data();
    ASSERT_TRUE(queue.push(number(0), {block.data(), block.size()}));
    ASSERT_TRUE(queue.push(number(1), {block.data() + 1024, 2048})) << "part of a block";
  }
  EXPECT_EQ(transport::blocks::pool_used(), 16384u);
  for (const std::size_t offset : {0u, 1024u}) {
    ReceivedPacket<float> packet;
    ASSERT_TRUE(queue.take(packet));
    EXPECT_EQ(packet.samples.data(), data + offset);
    EXPECT_EQ(transport::blocks::pool_used(), 16384u);
    queue.done(std::move(packet));
  }
  EXPECT_EQ(transport::blocks::pool_used(), 0u);
  EXPECT_EQ(queue.copied_bytes(), 0u);
}

TEST(PacketQueue, ReleasesItsBlocksAtItsEnd) {
  {
    FloatQueue queue(2);
    auto block = loan<float>(4096);
    ASSERT_TRUE(queue.push(number(0), {block.data(), block.size()}));
    queue.close();
    EXPECT_FALSE(queue.push(number(1), {block.data(), block.size()}));
  }
  EXPECT_EQ(transport::blocks::pool_used(), 0u);
}

TEST(PacketQueue, BlocksTheSenderWhileFull) {
  FloatQueue queue(2);
  std::atomic<int> sent{0};
  platform::testing::WaitingThread sender([&] {
    for (std::uint64_t n = 0; n < 3; ++n) {
      queue.push(number(n), {});
      ++sent;
    }
  });
  EXPECT_TRUE(sender.waits());
  EXPECT_EQ(sent, 2);
  EXPECT_TRUE(queue.handle_one());
  sender.join();
  EXPECT_EQ(sent, 3);
}

TEST(PacketQueue, WakesABlockedSenderOnClose) {
  FloatQueue queue(1);
  queue.push(number(0), {});
  bool accepted = true;
  platform::testing::WaitingThread sender([&] { accepted = queue.push(number(1), {}); });
  EXPECT_TRUE(sender.waits());
  queue.close();
  sender.join();
  EXPECT_FALSE(accepted);
  EXPECT_TRUE(queue.handle_one()) << "packets queued before the close can still be taken";
}

TEST(PacketQueue, ReusesBuffers) {
  FloatQueue queue(2);
  const std::vector<float> samples(1000);
  const float* seen = nullptr;
  for (int i = 0; i < 100; ++i) {
    queue.push(number(0), samples);
    ReceivedPacket<float> packet;
    ASSERT_TRUE(queue.take(packet));
    if (i == 0) seen = packet.samples.data();
    EXPECT_EQ(packet.samples.data(), seen);
    queue.done(std::move(packet));
  }
}

TEST(PacketQueue, KeepsOrderBetweenThreads) {
  EventCount event_count;
  PacketQueue<std::uint64_t> queue(8, event_count);
  constexpr std::uint64_t kPackets = 20000;
  std::thread sender([&] {
    for (std::uint64_t n = 0; n < kPackets; ++n) queue.push(number(n), {&n, 1});
  });
  ReceivedPacket<std::uint64_t> packet;
  for (std::uint64_t n = 0; n < kPackets;) {
    const auto key = event_count.key();
    if (!queue.take(packet)) {
      event_count.wait(key);
      continue;
    }
    ASSERT_EQ(packet.samples[0], n++);
    queue.done(std::move(packet));
  }
  sender.join();
}

}  // namespace
}  // namespace orbweaver::sca
