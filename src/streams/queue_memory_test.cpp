// Producers and consumers of a BoundedQueue at the same time: memory, order and counts.
#include <gtest/gtest.h>

#include <atomic>
#include <ostream>
#include <thread>
#include <utility>
#include <vector>

#include <orbweaver/exception.h>
#include <orbweaver/streams/bounded_queue.h>

#include "platform/testing/becomes_true.h"
#include "streams/testing/when_full_names.h"

namespace orbweaver::streams {
namespace {

/// The sum of the first seven counters.
std::uint64_t calls_of_push(const QueueCounts& c) {
  return c.accepted + c.dropped_newest + c.rejected + c.timed_out + c.interrupted + c.rejected_closed +
         c.too_large;
}

/// A packet whose memory is counted.
struct Packet {
  static inline std::atomic<std::size_t> bytes_in_use{0}, most_bytes_in_use{0};

  Packet() = default;
  Packet(int producer_, int number_, std::size_t size_) : producer(producer_), number(number_), size(size_) {
    const std::size_t now = bytes_in_use += size;
    for (std::size_t most = most_bytes_in_use; now > most;) {
      if (most_bytes_in_use.compare_exchange_weak(most, now)) break;
    }
  }
  Packet(Packet&& other) noexcept { *this = std::move(other); }
  Packet& operator=(Packet&& other) noexcept {
    bytes_in_use -= size;
    producer = other.producer;
    number = other.number;
    size = std::exchange(other.size, 0);
    return *this;
  }
  ~Packet() { bytes_in_use -= size; }

  int producer = 0;
  int number = 0;
  std::size_t size = 0;
};

/// Producers with 1000 packets of varied sizes each, and consumers, which start when the queue has been full.
class ConcurrentTransfer {
 public:
  static constexpr int kPackets = 1000;
  static constexpr std::size_t kLargestPacket = 1000;

  ConcurrentTransfer(QueueLimits limits, int producers, int consumers) : queue_(limits), taken_(consumers) {
    Packet::bytes_in_use = 0;
    Packet::most_bytes_in_use = 0;
    std::vector<std::thread> threads;
    std::vector<std::thread> taking;
    for (int p = 0; p < producers; ++p) threads.emplace_back([this, p] { produce(p); });
    EXPECT_TRUE(platform::testing::becomes_true([&] { return has_been_full(); }));
    for (int c = 0; c < consumers; ++c) taking.emplace_back([this, c] { consume(taken_[c]); });
    for (auto& thread : threads) thread.join();
    queue_.close();
    for (auto& thread : taking) thread.join();
  }

  const QueueCounts counts() const { return queue_.counts(); }
  /// Whether every consumer received the packets of each producer in order.
  bool in_order() const {
    for (const auto& taken : taken_) {
      std::vector<int> last(100, -1);
      for (const auto& [producer, number] : taken) {
        if (number <= last[producer]) return false;
        last[producer] = number;
      }
    }
    return true;
  }
  std::size_t taken() const {
    std::size_t sum = 0;
    for (const auto& taken : taken_) sum += taken.size();
    return sum;
  }

 private:
  bool has_been_full() const {
    const QueueCounts c = queue_.counts();
    return c.waited + c.rejected + c.dropped_newest + c.dropped_oldest > 0;
  }
  void produce(int producer) {
    for (int n = 0; n < kPackets; ++n) {
      const std::size_t size = static_cast<std::size_t>(n * 7 + producer) % kLargestPacket + 1;
      (void)queue_.push(Packet(producer, n, size), size);  // counted by the queue
    }
  }
  void consume(std::vector<std::pair<int, int>>& taken) {
    Packet packet;
    while (queue_.take(packet) == TakeResult::taken) taken.emplace_back(packet.producer, packet.number);
  }

  BoundedQueue<Packet> queue_;
  std::vector<std::vector<std::pair<int, int>>> taken_;
};

class ConcurrentPolicy : public testing::TestWithParam<WhenFull> {};

TEST_P(ConcurrentPolicy, BoundsTheMemoryOfProducersFasterThanTheirConsumer) {
  constexpr std::size_t kLimit = 5000;
  constexpr int kProducers = 4;
  const ConcurrentTransfer transfer({20, kLimit, GetParam()}, kProducers, 1);
  const QueueCounts counts = transfer.counts();
  EXPECT_LE(counts.peak_bytes, kLimit);
  EXPECT_LE(counts.peak_packets, 20u);
  // In addition, each producer has one packet, and the consumer the last one and the next; packets being
  // dropped make space for others.
  const std::size_t in_hands = (kProducers + 2) * ConcurrentTransfer::kLargestPacket;
  const std::size_t dropping = GetParam() == WhenFull::drop_oldest ? kProducers * kLimit : 0;
  EXPECT_LE(Packet::most_bytes_in_use, kLimit + in_hands + dropping);
  EXPECT_EQ(Packet::bytes_in_use, 0u) << "nothing leaks";

  EXPECT_TRUE(transfer.in_order());
  EXPECT_EQ(calls_of_push(counts), std::uint64_t{kProducers} * ConcurrentTransfer::kPackets);
  EXPECT_EQ(counts.delivered, transfer.taken());
  EXPECT_EQ(counts.accepted, counts.delivered + counts.dropped_oldest) << "the queue is empty";
  if (GetParam() == WhenFull::block) {
    EXPECT_EQ(counts.delivered, std::uint64_t{kProducers} * ConcurrentTransfer::kPackets);
    EXPECT_GT(counts.waited, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, ConcurrentPolicy,
                         testing::Values(WhenFull::block, WhenFull::reject, WhenFull::drop_oldest,
                                         WhenFull::drop_newest),
                         testing::PrintToStringParamName());

TEST(BoundedQueue, DeliversEachPacketToOneOfSeveralConsumers) {
  const ConcurrentTransfer transfer({8, 2000}, 3, 3);
  EXPECT_EQ(transfer.taken(), 3u * ConcurrentTransfer::kPackets);
  EXPECT_EQ(transfer.counts().delivered, 3u * ConcurrentTransfer::kPackets);
  EXPECT_TRUE(transfer.in_order());
}

}  // namespace
}  // namespace orbweaver::streams
