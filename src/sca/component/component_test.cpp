#include <orbweaver/sca/component.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>

#include <orbweaver/sca/direct_connection.h>

#include "platform/testing/becomes_true.h"
#include "platform/testing/thread_observer.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using ::testing::ElementsAre;

class Ramp : public Component {
 public:
  using Component::Component;
  ~Ramp() override { shut_down(); }

 protected:
  bool produce() override {
    if (next_ == packets_) return false;
    const std::vector<float> samples(4, static_cast<float>(next_++));
    out_.push(samples, 8000);
    ++made_;
    return true;
  }

 private:
  Property<std::uint32_t> packets_{*this, "packets", 3};
  Output<float> out_{*this, "out"};
  Counter made_{*this, "made"};
  std::uint32_t next_ = 0;
};

class Doubler : public Component {
 public:
  using Component::Component;
  ~Doubler() override { shut_down(); }

 protected:
  void on_end() override { out_.push(std::vector<float>{-1}); }

 private:
  Input<float> in_{*this, "in", [this](const Packet<float>& packet) {
                     std::vector<float> twice(packet.samples.begin(), packet.samples.end());
                     for (float& s : twice) s *= 2;
                     out_.push(twice, packet.sample_rate_hz);
                   }};
  Output<float> out_{*this, "out"};
};

class Collector : public Component {
 public:
  using Component::Component;
  ~Collector() override { shut_down(); }
  std::vector<float> heard;
  std::function<void(std::size_t index)> before_packet = [](std::size_t) {};  ///< Called in the handler.

 private:
  Input<float> in_{*this, "in",
                   [this](const Packet<float>& packet) {
                     before_packet(heard.size());
                     heard.push_back(packet.samples[0]);
                   },
                   2};
};

void wait_for(const Component& component) {
  ASSERT_TRUE(becomes_true([&] { return component.finished(); }));
}

struct Chain {
  Context a, b, c;
  Ramp source;
  Doubler filter;
  Collector sink;
  explicit Chain(Context source_context = Context())
      : a(std::move(source_context)), source(a), filter(b), sink(c) {
    connect_directly<float>(*source.find_output("out"), *filter.find_input("in"), "c1");
    connect_directly<float>(*filter.find_output("out"), *sink.find_input("in"), "c2");
  }
  void start() {
    sink.start();
    filter.start();
    source.start();
  }
};

TEST(Component, PassesPacketsAndTheEndThroughAChain) {
  Chain chain;
  chain.start();
  wait_for(chain.sink);
  EXPECT_THAT(chain.sink.heard, ElementsAre(0, 2, 4, -1));
  EXPECT_EQ(chain.source.counters()[0]->value(), 3);
  const auto figures = chain.sink.inputs()[0]->monitor().figures();
  EXPECT_EQ(figures[0].packets, 4u) << "the end of stream is not counted as a packet";
  EXPECT_EQ(figures[0].lost, 0u);
  EXPECT_EQ(figures[0].stream_id, stream_id_of("c2"));
  EXPECT_TRUE(figures[0].end_of_stream);
}

TEST(Component, BlocksTheSenderOfASlowReceiver) {
  Chain chain(Context::with({{"packets", "20"}}));
  const auto queue_is_full = [&] { return chain.sink.inputs()[0]->queue_depth() == 2; };
  chain.sink.before_packet = [&](std::size_t index) {
    if (index < 15) {
      EXPECT_TRUE(becomes_true(queue_is_full)) << "the sender continues until the queue is full";
    }
  };
  chain.start();
  wait_for(chain.sink);
  EXPECT_EQ(chain.sink.heard.size(), 21u);
  EXPECT_EQ(chain.sink.inputs()[0]->queue_high_water(), 2u);
}

TEST(Component, FansOutToManyInputs) {
  Context a = Context::with({{"packets", "5"}}), b, c;
  Ramp source(a);
  Collector one(b), two(c);
  connect_directly<float>(*source.find_output("out"), *one.find_input("in"), "1");
  connect_directly<float>(*source.find_output("out"), *two.find_input("in"), "2");
  one.start();
  two.start();
  source.start();
  wait_for(one);
  wait_for(two);
  EXPECT_EQ(one.heard, two.heard);
  EXPECT_EQ((*source.find_output("out")->connections())[1]->packets(), 5u);
}

// Also run with the sanitizers, which notice a list of connections that is read after its end.
TEST(Component, TellsItsStateWhileConnectionsChange) {
  Context a, b;
  Ramp source(a);
  Collector sink(b);
  OutputPort& out = *source.find_output("out");
  std::atomic<bool> changes{true};
  std::thread changing([&] {
    for (int i = 0; i < 2'000; ++i) {
      const std::string id = std::to_string(i);
      connect_directly<float>(out, *sink.find_input("in"), id);
      out.disconnect(id);
    }
    changes = false;
  });
  std::uint64_t copied = 0;
  while (changes) {
    copied += out.copied_bytes();
    static_cast<void>(source.activity());
  }
  changing.join();
  EXPECT_EQ(copied, 0u);
  EXPECT_TRUE(out.connections()->empty());
}

TEST(Component, WaitsForAllStreamsOfAnInputToEnd) {
  Context a = Context::with({{"packets", "1"}}), b = Context::with({{"packets", "50"}});
  Context c = Context::with({{"STREAMS_EXPECTED", "in=2"}});
  Ramp early(a), late(b);
  Collector sink(c);
  connect_directly<float>(*early.find_output("out"), *sink.find_input("in"), "1");
  connect_directly<float>(*late.find_output("out"), *sink.find_input("in"), "2");
  sink.start();
  early.start();
  wait_for(early);
  // Its packet and its end have been handled.
  EXPECT_TRUE(becomes_true(
      [&] { return sink.activity().steps == 2 && sink.activity().state != Activity::State::working; }));
  EXPECT_FALSE(sink.finished());
  late.start();
  wait_for(sink);
  EXPECT_EQ(sink.heard.size(), 51u);
}

TEST(Component, WaitsForTheStreamsThatItIsToldOf) {
  Context a = Context::with({{"packets", "3"}}), b = Context::with({});
  Ramp source(a);
  Collector sink(b);
  InputPort& input = *sink.find_input("in");
  EXPECT_FALSE(input.at_end()) << "one stream, unless told otherwise";
  input.expect_streams(0);
  EXPECT_TRUE(input.at_end());
  input.expect_streams(2);
  connect_directly<float>(*source.find_output("out"), input, "1");
  sink.start();
  source.start();
  wait_for(source);
  // Three packets and the end have been handled.
  EXPECT_TRUE(becomes_true([&] { return sink.activity().steps == 4; }));
  EXPECT_FALSE(input.at_end());
}

TEST(Component, KeepsQueuedPacketsWhileStopped) {
  Chain chain(Context::with({{"packets", "10"}}));
  // The third packet is in its handler until this thread waits for it in stop().
  std::atomic<bool> reached{false}, stopping{false};
  const pid_t stopper = platform::testing::this_thread_id();
  chain.sink.before_packet = [&](std::size_t index) {
    if (index != 2) return;
    reached = true;
    EXPECT_TRUE(
        becomes_true([&] { return stopping && platform::testing::ThreadObserver(stopper).asleep(); }));
  };
  chain.start();
  while (!reached) std::this_thread::yield();
  stopping = true;
  chain.sink.stop();
  EXPECT_FALSE(chain.sink.finished());
  EXPECT_EQ(chain.sink.heard.size(), 3u);
  chain.sink.start();
  wait_for(chain.sink);
  EXPECT_EQ(chain.sink.heard.size(), 11u);
}

TEST(Component, WakesABlockedSenderOnShutdown) {
  Chain chain(Context::with({{"packets", "1000000"}}));
  chain.filter.start();
  chain.source.start();
  // The sink is not started, so every queue fills up.
  EXPECT_TRUE(becomes_true([&] {
    return chain.sink.inputs()[0]->queue_depth() == 2 && chain.filter.activity().sending == "c2" &&
           chain.source.activity().sending == "c1";
  }));
  chain.sink.shut_down();
  chain.filter.shut_down();
  chain.source.shut_down();
  EXPECT_TRUE((*chain.filter.find_output("out")->connections())[0]->broken());
}

TEST(Component, ReportsAnExceptionOfAHandler) {
  class Thrower : public Component {
   public:
    using Component::Component;
    ~Thrower() override { shut_down(); }

   protected:
    bool produce() override { throw std::runtime_error("no more paper"); }
  };
  Context context;
  Thrower thrower(context);
  std::promise<std::string> message;
  thrower.on_failure([&](std::exception_ptr what) {
    try {
      std::rethrow_exception(what);
    } catch (const std::exception& e) {
      message.set_value(e.what());
    }
  });
  thrower.start();
  EXPECT_EQ(message.get_future().get(), "no more paper");
}

TEST(Component, WakesFromSleepOnStop) {
  class Sleeper : public Component {
   public:
    using Component::Component;
    ~Sleeper() override { shut_down(); }

   protected:
    bool produce() override { return sleep_until_ns(now_ns() + 3'600'000'000'000); }
  };
  Context context;
  Sleeper sleeper(context);
  sleeper.start();
  EXPECT_TRUE(becomes_true([&] { return sleeper.activity().state == Activity::State::sleeping; }));
  sleeper.stop();
}

TEST(Component, JoinsItsIdleThreadOnDestruction) {
  Context context;
  Collector sink(context);
  sink.start();
}

TEST(Component, CountsPacketsOfAnUnconnectedOutput) {
  Context context = Context::with({{"packets", "5"}});
  Ramp source(context);
  source.start();
  wait_for(source);
  EXPECT_EQ(source.find_output("out")->dropped(), 5u);
}

TEST(Component, ReportsItsActivity) {
  Context a, b;
  Ramp source(a);
  Collector sink(b);
  connect_directly<float>(*source.find_output("out"), *sink.find_input("in"), "c1");
  EXPECT_EQ(source.activity().state, Activity::State::stopped);
  source.start();  // its third packet does not fit into the queue of two
  while (source.activity().steps < 2 || source.activity().sending != "c1") std::this_thread::yield();
  EXPECT_EQ(source.activity().state, Activity::State::working);
  EXPECT_EQ(sink.inputs()[0]->queue_depth(), 2u);
  sink.start();
  wait_for(sink);
  while (source.activity().state != Activity::State::finished) std::this_thread::yield();
  EXPECT_EQ(source.activity().steps, 3u);
  EXPECT_EQ(sink.activity().steps, 4u) << "the end of stream is a step too";
}

TEST(Component, EndsOnRequestBeforeItsStreams) {
  Context context;
  Collector sink(context);
  sink.start();
  while (sink.activity().state != Activity::State::waiting) std::this_thread::yield();
  sink.request_end();
  wait_for(sink);
}

}  // namespace
}  // namespace orbweaver::sca
