// A BoundedQueue and a simple model of it, with random calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <orbweaver/streams/bounded_queue.h>

#include "streams/testing/when_full_names.h"

namespace orbweaver::streams {
namespace {

constexpr Deadline kAtOnce{0};

/// What a queue has to do, written without regard to its cost. A packet is its number and its size.
class Model {
 public:
  explicit Model(QueueLimits limits) : limits_(limits) {}

  PushResult push(int packet, std::size_t bytes) {
    if (closed_) return counted(expected.rejected_closed, PushResult::closed);
    if (bytes > limits_.bytes) return counted(expected.too_large, PushResult::too_large);
    while (!fits(bytes)) {
      if (limits_.when_full == WhenFull::drop_newest)
        return counted(expected.dropped_newest, PushResult::dropped);
      if (limits_.when_full == WhenFull::reject) return counted(expected.rejected, PushResult::queue_full);
      // push() is called with a deadline in the past.
      if (limits_.when_full == WhenFull::block)
        return interrupted_ ? counted(expected.interrupted, PushResult::interrupted)
                            : counted(expected.timed_out, PushResult::timed_out);
      packets_.pop_front();
      ++expected.dropped_oldest;
    }
    packets_.emplace_back(packet, bytes);
    expected.peak_packets = std::max(expected.peak_packets, packets_.size());
    expected.peak_bytes = std::max(expected.peak_bytes, bytes_used());
    return counted(expected.accepted, PushResult::accepted);
  }
  TakeResult take(int& packet) {
    if (packets_.empty()) {
      if (closed_) return TakeResult::end;
      return interrupted_ ? TakeResult::interrupted : TakeResult::timed_out;
    }
    packet = packets_.front().first;
    packets_.pop_front();
    ++expected.delivered;
    return TakeResult::taken;
  }
  void discard_multiples_of(int divisor) {
    const auto match = [&](const auto& packet) { return packet.first % divisor == 0; };
    expected.discarded += static_cast<std::uint64_t>(std::count_if(packets_.begin(), packets_.end(), match));
    packets_.erase(std::remove_if(packets_.begin(), packets_.end(), match), packets_.end());
  }
  void close() { closed_ = true; }
  void interrupt(bool interrupted) { interrupted_ = interrupted; }

  bool fits(std::size_t bytes) const {
    return packets_.size() < limits_.packets && bytes_used() + bytes <= limits_.bytes;
  }
  std::size_t packets() const { return packets_.size(); }
  std::size_t bytes_used() const {
    return std::accumulate(packets_.begin(), packets_.end(), std::size_t{0},
                           [](std::size_t sum, const auto& packet) { return sum + packet.second; });
  }

  QueueCounts expected;

 private:
  PushResult counted(std::uint64_t& counter, PushResult result) {
    ++counter;
    return result;
  }

  const QueueLimits limits_;
  std::deque<std::pair<int, std::size_t>> packets_;
  bool closed_ = false;
  bool interrupted_ = false;
};

void expect_equal(const QueueCounts& counts, const Model& model) {
  const QueueCounts& expected = model.expected;
  ASSERT_EQ(counts.packets, model.packets());
  ASSERT_EQ(counts.bytes, model.bytes_used());
  ASSERT_EQ(counts.accepted, expected.accepted);
  ASSERT_EQ(counts.dropped_newest, expected.dropped_newest);
  ASSERT_EQ(counts.rejected, expected.rejected);
  ASSERT_EQ(counts.timed_out, expected.timed_out);
  ASSERT_EQ(counts.interrupted, expected.interrupted);
  ASSERT_EQ(counts.rejected_closed, expected.rejected_closed);
  ASSERT_EQ(counts.too_large, expected.too_large);
  ASSERT_EQ(counts.delivered, expected.delivered);
  ASSERT_EQ(counts.dropped_oldest, expected.dropped_oldest);
  ASSERT_EQ(counts.discarded, expected.discarded);
  ASSERT_EQ(counts.peak_packets, expected.peak_packets);
  ASSERT_EQ(counts.peak_bytes, expected.peak_bytes);
}

PushResult push(BoundedQueue<int>& queue, int packet, std::size_t bytes) {
  return queue.push(std::move(packet), bytes, kAtOnce);
}

class QueueModel : public testing::TestWithParam<WhenFull> {};

INSTANTIATE_TEST_SUITE_P(Every, QueueModel,
                         testing::Values(WhenFull::block, WhenFull::reject, WhenFull::drop_oldest,
                                         WhenFull::drop_newest),
                         testing::PrintToStringParamName());

TEST_P(QueueModel, AgreesWithTheQueueForRandomCalls) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
  for (int round = 0; round < 100; ++round) {
    const QueueLimits limits{static_cast<std::size_t>(below(20)) + 1,
                             static_cast<std::size_t>(below(200)) + 1, GetParam()};
    BoundedQueue<int> queue{limits};
    Model model{limits};
    for (int step = 0; step < 300; ++step) {
      const int call = below(100);
      if (call < 55) {
        const auto bytes = static_cast<std::size_t>(below(call == 0 ? 1000 : 40));
        ASSERT_EQ(queue.has_space(bytes), step < 250 && bytes <= limits.bytes && model.fits(bytes));
        ASSERT_EQ(push(queue, step, bytes), model.push(step, bytes));
      } else if (call < 95) {
        int packet = -1, expected = -1;
        ASSERT_EQ(queue.take(packet, kAtOnce), model.take(expected));
        ASSERT_EQ(packet, expected);
      } else if (call < 97) {
        queue.discard_if([&](int packet) { return packet % 3 == 0; });
        model.discard_multiples_of(3);
      } else if (call < 99) {
        queue.interrupt();
        model.interrupt(true);
      } else {
        queue.clear_interrupt();
        model.interrupt(false);
      }
      if (step == 249) {
        queue.close();
        model.close();
      }
      ASSERT_NO_FATAL_FAILURE(expect_equal(queue.counts(), model)) << "round " << round << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace orbweaver::streams
