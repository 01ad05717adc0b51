// Packets in blocks of shared memory: Output::allocate, push, and the counts of copied bytes. The connections
// are within this process; src/sca/run_tests has those between processes.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <orbweaver/sca/direct_connection.h>

#include "platform/testing/becomes_true.h"
#include "transport/blocks/pool.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using transport::blocks::pool_used;

constexpr std::size_t kSamples = 16384;  // 64 KiB
constexpr std::size_t kPoolBytes = std::size_t{1} << 20;

/// The pool of this program holds 16 packets.
class SmallPool : public ::testing::Environment {
  void SetUp() override { transport::blocks::set_pool_bytes(kPoolBytes); }
};
[[maybe_unused]] auto* const small_pool = ::testing::AddGlobalTestEnvironment(new SmallPool);

/// Sends packets whose samples are their numbers, in allocated storage or from its own memory.
class Source : public Component {
 public:
  using Component::Component;
  ~Source() override { shut_down(); }
  bool in_place = true;
  std::uint32_t packets = 100;
  std::size_t samples = kSamples;
  std::size_t kept = ~std::size_t{0};  ///< Samples to keep of each packet.

 protected:
  bool produce() override {
    if (sent_ == packets) return false;
    const auto value = static_cast<float>(sent_++);
    if (in_place) {
      auto packet = out_.allocate(samples);
      std::fill(packet.begin(), packet.end(), value);
      packet.truncate(kept);
      out_.push(std::move(packet), 8000);
    } else {
      memory_.assign(samples, value);
      out_.push(memory_, 8000);
    }
    return true;
  }

 private:
  Output<float> out_{*this, "out"};
  std::vector<float> memory_;
  std::uint32_t sent_ = 0;
};

/// Passes the packets on, without their first `skip` samples.
class Pass : public Component {
 public:
  using Component::Component;
  ~Pass() override { shut_down(); }
  std::size_t skip = 0;

 private:
  Output<float> out_{*this, "out"};
  Input<float> in_{*this, "in", [this](const Packet<float>& packet) {
                     out_.push(packet.samples.subspan(skip), packet.sample_rate_hz);
                   }};
};

/// Checks the packets.
class Sink : public Component {
 public:
  using Component::Component;
  ~Sink() override { shut_down(); }
  std::vector<const float*> places;  ///< Of the packets' samples.
  std::vector<std::size_t> sizes;
  std::size_t mismatches = 0;

 private:
  Input<float> in_{*this, "in", [this](const Packet<float>& packet) {
                     for (const float s : packet.samples)
                       mismatches += s != static_cast<float>(packet.sequence_number);
                     places.push_back(packet.samples.data());
                     sizes.push_back(packet.samples.size());
                   }};
};

template <class Class>
struct Made {
  Context context;
  Class component{context};
  Class* operator->() { return &component; }
  InputPort& in() { return *component.find_input("in"); }
  OutputPort& out() { return *component.find_output("out"); }
};

void connect(OutputPort& from, InputPort& to, const std::string& id) {
  connect_directly<float>(from, to, id);
}

void wait_for_end(const Component& component) {
  ASSERT_TRUE(becomes_true([&] { return component.finished(); }));
}

TEST(OutputBuffer, IsReadInPlaceByEightReceivers) {
  Made<Source> source;
  std::vector<std::unique_ptr<Made<Sink>>> sinks;
  for (int i = 0; i < 8; ++i) {
    sinks.push_back(std::make_unique<Made<Sink>>());
    connect(source.out(), sinks.back()->in(), std::to_string(i));
    sinks.back()->component.start();
  }
  source->start();
  for (auto& sink : sinks) {
    wait_for_end(sink->component);
    EXPECT_EQ(sink->component.mismatches, 0u);
    EXPECT_EQ(sink->component.places.size(), 100u);
    EXPECT_EQ(sink->component.places, sinks[0]->component.places);
    EXPECT_EQ(sink->in().copied_bytes(), 0u);
  }
  EXPECT_EQ(source.out().copied_bytes(), 0u);
  EXPECT_EQ(pool_used(), 0u);
}

TEST(OutputBuffer, IsForwardedThroughEightComponents) {
  Made<Source> source;
  std::vector<std::unique_ptr<Made<Pass>>> chain;
  Made<Sink> sink;
  OutputPort* from = &source.out();
  for (int i = 0; i < 8; ++i) {
    chain.push_back(std::make_unique<Made<Pass>>());
    connect(*from, chain.back()->in(), "c");
    from = &chain.back()->out();
    chain.back()->component.skip = 10;
  }
  connect(*from, sink.in(), "c");
  sink->start();
  for (auto& pass : chain) pass->component.start();
  source->start();
  wait_for_end(sink.component);
  EXPECT_EQ(sink->mismatches, 0u);
  EXPECT_EQ(sink->sizes, std::vector<std::size_t>(100, kSamples - 80));
  EXPECT_EQ(sink.in().copied_bytes() + source.out().copied_bytes(), 0u);
  for (auto& pass : chain) EXPECT_EQ(pass->in().copied_bytes() + pass->out().copied_bytes(), 0u);
  EXPECT_EQ(pool_used(), 0u);
}

TEST(OutputBuffer, IsCopiedOnceIfPushedFromOrdinaryMemory) {
  Made<Source> source;
  Made<Sink> one, two;
  source->in_place = false;
  connect(source.out(), one.in(), "1");
  connect(source.out(), two.in(), "2");
  one->start();
  two->start();
  source->start();
  wait_for_end(one.component);
  wait_for_end(two.component);
  EXPECT_EQ(one->mismatches + two->mismatches, 0u);
  EXPECT_EQ(source.out().copied_bytes(), 100 * kSamples * sizeof(float));
  EXPECT_EQ(one.in().copied_bytes() + two.in().copied_bytes(), 0u);
  EXPECT_EQ(pool_used(), 0u);
}

TEST(OutputBuffer, IsOrdinaryMemoryIfItIsSmall) {
  Made<Source> source;
  Made<Sink> sink;
  source->samples = 100;
  connect(source.out(), sink.in(), "c");
  sink->start();
  source->start();
  wait_for_end(sink.component);
  EXPECT_EQ(sink->mismatches, 0u);
  EXPECT_EQ(sink->places.size(), 100u);
  EXPECT_EQ(sink.in().copied_bytes(), 100u * 100 * sizeof(float));
}

TEST(OutputBuffer, SendsTheSamplesThatAreLeft) {
  Made<Source> source;
  Made<Sink> sink;
  source->kept = 5000;
  connect(source.out(), sink.in(), "c");
  sink->start();
  source->start();
  wait_for_end(sink.component);
  EXPECT_EQ(sink->mismatches, 0u);
  EXPECT_EQ(sink->sizes, std::vector<std::size_t>(100, 5000));
  EXPECT_EQ(sink.in().copied_bytes(), 0u);
}

TEST(OutputBuffer, NeedsNoReceiver) {
  Made<Source> source;
  source->start();
  wait_for_end(source.component);
  EXPECT_EQ(source.out().dropped(), 100u);
  EXPECT_EQ(pool_used(), 0u);
}

TEST(OutputBuffer, WaitsWhileTheReceiversHoldTheShareOfThePort) {
  Made<Source> source;
  Made<Sink> sink;
  connect(source.out(), sink.in(), "c");
  source->start();  // the queue has 64 places, and the pool 16
  EXPECT_TRUE(becomes_true([&] { return source->activity().waiting_for_block; }));
  EXPECT_EQ(source->activity().sending, "c");
  EXPECT_EQ(pool_used(), kPoolBytes);
  EXPECT_EQ(sink.in().queue_depth(), 16u);
  sink->start();
  wait_for_end(sink.component);
  EXPECT_FALSE(source->activity().waiting_for_block);
  EXPECT_EQ(sink->mismatches, 0u);
  EXPECT_EQ(sink->places.size(), 100u);
  EXPECT_EQ(sink.in().copied_bytes(), 0u);
}

TEST(OutputBuffer, DoesNotDelayTheEndOfAComponentThatWaits) {
  Made<Source> source;
  Made<Sink> sink;
  connect(source.out(), sink.in(), "c");
  source->start();
  EXPECT_TRUE(becomes_true([&] { return source->activity().waiting_for_block; }));
  source->stop();
  EXPECT_EQ(source->activity().state, Activity::State::stopped);
}

TEST(OutputBuffer, DoesNotWaitForTheReceiversOfAnotherPort) {
  Made<Sink> stuck, sink;  // they outlive the sources, one of which still runs at the end
  Made<Source> blocked, other;
  connect(blocked.out(), stuck.in(), "c1");
  connect(other.out(), sink.in(), "c2");
  blocked->start();
  EXPECT_TRUE(becomes_true([&] { return blocked->activity().waiting_for_block; }));
  sink->start();
  other->start();
  wait_for_end(sink.component);
  EXPECT_EQ(sink->mismatches, 0u);
  EXPECT_EQ(sink->places.size(), 100u);
  EXPECT_EQ(other.out().copied_bytes() + sink.in().copied_bytes(), 0u);
  EXPECT_TRUE(blocked->activity().waiting_for_block);
}

TEST(OutputBuffer, IsOrdinaryMemoryIfTheComponentHoldsItsShare) {
  class TwoAtOnce : public Component {
   public:
    using Component::Component;
    ~TwoAtOnce() override { shut_down(); }
    bool first_in_block = false, second_in_block = false;

   protected:
    bool produce() override {
      constexpr std::size_t kAll = kPoolBytes / sizeof(float);
      auto first = out_.allocate(kAll), second = out_.allocate(kAll);
      first_in_block = first.is_in_block();
      second_in_block = second.is_in_block();
      std::fill(first.begin(), first.end(), 0.0f);
      std::fill(second.begin(), second.end(), 1.0f);
      out_.push(std::move(first));
      out_.push(std::move(second));
      return false;
    }

   private:
    Output<float> out_{*this, "out"};
  };
  Made<TwoAtOnce> source;
  Made<Sink> sink;
  connect(source.out(), sink.in(), "c");
  sink->start();
  source->start();
  wait_for_end(sink.component);
  EXPECT_TRUE(source->first_in_block);
  EXPECT_FALSE(source->second_in_block);
  EXPECT_EQ(sink->mismatches, 0u);
  EXPECT_EQ(sink->places.size(), 2u);
  EXPECT_EQ(pool_used(), 0u);
}

TEST(OutputBuffer, IsReleasedByAReceiverThatIsShutDown) {
  Made<Source> source;
  Made<Sink> released, sink;
  connect(source.out(), released.in(), "1");
  connect(source.out(), sink.in(), "2");
  sink->start();
  source->start();
  EXPECT_TRUE(becomes_true([&] { return source->activity().waiting_for_block; }));
  released->shut_down();
  wait_for_end(sink.component);
  EXPECT_EQ(sink->places.size(), 100u);
  EXPECT_EQ(pool_used(), 0u);
}

/// Sends a packet of more samples than it receives.
class Enlarge : public Component {
 public:
  using Component::Component;
  ~Enlarge() override { shut_down(); }

 private:
  Output<float> out_{*this, "out"};
  Input<float> in_{*this, "in", [this](const Packet<float>&) { out_.push(out_.allocate(kSamples)); }};
};

TEST(OutputBuffer, DoesNotDelayTheEndOfAComponentInAChainOfDirectInputs) {
  class Forward : public Component {
   public:
    using Component::Component;
    ~Forward() override { shut_down(); }

   private:
    Output<float> out_{*this, "out"};
    Input<float> in_{*this, "in", [this](const Packet<float>& packet) { out_.push(packet.samples); }};
  };
  Made<Source> source;
  Context direct = Context::with({{"DIRECT_INPUTS", "in"}}), also_direct = direct;
  Forward forward(direct);
  Enlarge enlarge(also_direct);
  Made<Sink> sink;
  source->samples = 1;
  connect(source.out(), *forward.find_input("in"), "c1");
  connect(*forward.find_output("out"), *enlarge.find_input("in"), "c2");
  connect(*enlarge.find_output("out"), sink.in(), "c3");
  enlarge.start();
  forward.start();
  source->start();
  EXPECT_TRUE(becomes_true([&] { return enlarge.activity().waiting_for_block; }));
  forward.stop();
  EXPECT_EQ(forward.activity().state, Activity::State::stopped);
  forward.shut_down();  // the source waits until it is started again
  source->stop();
}

TEST(OutputBuffer, DoesNotDelayTheEndOfTheSenderOfADirectInput) {
  Made<Source> source;
  Context direct = Context::with({{"DIRECT_INPUTS", "in"}});
  Enlarge enlarge(direct);
  Made<Sink> sink;
  source->samples = 1;
  connect(source.out(), *enlarge.find_input("in"), "c1");
  connect(*enlarge.find_output("out"), sink.in(), "c2");
  enlarge.start();
  source->start();
  EXPECT_TRUE(becomes_true([&] { return enlarge.activity().waiting_for_block; }));
  source->stop();
  EXPECT_EQ(source->activity().state, Activity::State::stopped);
}

TEST(OutputBuffer, ReleasesStorageThatIsNotPushed) {
  class Wasteful : public Component {
   public:
    using Component::Component;
    ~Wasteful() override { shut_down(); }

   protected:
    bool produce() override {
      auto first = out_.allocate(kSamples);
      auto second = out_.allocate(kSamples);
      first = std::move(second);
      EXPECT_EQ(second.size(), 0u);
      return ++made_ < 100;
    }

   private:
    Output<float> out_{*this, "out"};
    int made_ = 0;
  };
  Made<Wasteful> source;
  Made<Sink> sink;
  connect(source.out(), sink.in(), "c");
  source->start();
  wait_for_end(source.component);
  EXPECT_EQ(pool_used(), 0u);
}

}  // namespace
}  // namespace orbweaver::sca
