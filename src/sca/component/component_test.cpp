#include <orbweaver/sca/component.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>

#include <orbweaver/sca/direct_link.h>

namespace orbweaver::sca {
namespace {

using namespace std::chrono_literals;
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
  std::chrono::milliseconds delay{0};

 private:
  Input<float> in_{*this, "in",
                   [this](const Packet<float>& packet) {
                     std::this_thread::sleep_for(delay);
                     heard.push_back(packet.samples[0]);
                   },
                   2};
};

void wait_for(const Component& component) {
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (!component.finished() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
  ASSERT_TRUE(component.finished());
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

TEST(Component, PacketsRunThroughAChainAndTheEndFollowsThem) {
  Chain chain;
  chain.start();
  wait_for(chain.sink);
  EXPECT_THAT(chain.sink.heard, ElementsAre(0, 2, 4, -1));
  EXPECT_EQ(chain.source.counters()[0]->value(), 3);
  const auto figures = chain.sink.inputs()[0]->monitor().figures();
  EXPECT_EQ(figures[0].packets, 5u) << "four with samples and the end";
  EXPECT_EQ(figures[0].lost, 0u);
  EXPECT_EQ(figures[0].stream_id, stream_id_of("c2"));
  EXPECT_TRUE(figures[0].end_of_stream);
}

TEST(Component, ASlowReceiverSlowsTheSenderAndLosesNothing) {
  Chain chain(Context::with({{"packets", "20"}}));
  chain.sink.delay = 2ms;
  chain.start();
  wait_for(chain.sink);
  EXPECT_EQ(chain.sink.heard.size(), 21u);
  EXPECT_EQ(chain.sink.inputs()[0]->queue_high_water(), 2u);
}

TEST(Component, AnOutputFansOutToManyInputs) {
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
  EXPECT_EQ((*source.find_output("out")->links())[1]->packets(), 6u);
}

TEST(Component, AnInputOfTwoStreamsWaitsForBothToEnd) {
  Context a = Context::with({{"packets", "1"}}), b = Context::with({{"packets", "50"}});
  Context c = Context::with({{"STREAMS_EXPECTED", "in=2"}});
  Ramp early(a), late(b);
  Collector sink(c);
  connect_directly<float>(*early.find_output("out"), *sink.find_input("in"), "1");
  connect_directly<float>(*late.find_output("out"), *sink.find_input("in"), "2");
  sink.start();
  early.start();
  wait_for(early);
  std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(sink.finished());
  late.start();
  wait_for(sink);
  EXPECT_EQ(sink.heard.size(), 51u);
}

TEST(Component, StopKeepsWhatIsQueuedAndStartGoesOn) {
  Chain chain(Context::with({{"packets", "10"}}));
  chain.sink.delay = 2ms;
  chain.start();
  std::this_thread::sleep_for(5ms);
  chain.sink.stop();
  EXPECT_FALSE(chain.sink.finished());
  chain.sink.start();
  wait_for(chain.sink);
  EXPECT_EQ(chain.sink.heard.size(), 11u);
}

TEST(Component, ShuttingTheReceiverDownLetsABlockedSenderGo) {
  Chain chain(Context::with({{"packets", "1000000"}}));
  chain.filter.start();
  chain.source.start();
  std::this_thread::sleep_for(20ms);  // the sink does not run: everything is full
  chain.sink.shut_down();
  chain.filter.shut_down();
  chain.source.shut_down();
  EXPECT_TRUE((*chain.filter.find_output("out")->links())[0]->broken());
}

TEST(Component, WhatAHandlerThrowsIsReported) {
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

TEST(Component, ASleepEndsAtOnceWhenTheComponentIsStopped) {
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
  std::this_thread::sleep_for(5ms);
  sleeper.stop();
}

TEST(Component, DestructionTerminatesAnIdleThread) {
  Context context;
  Collector sink(context);
  sink.start();
}

TEST(Property, IsReadFromTheCommandLineOrKeepsItsDefault) {
  class Knobs : public Component {
   public:
    using Component::Component;
    Property<double> gain{*this, "gain", 1.5};
    Property<bool> realtime{*this, "realtime", false};
    Property<std::string> path{*this, "path", "none"};
  };
  auto context = Context::from_arguments({"gain", "-2e3", "realtime", "true", "other", "1"});
  const Knobs knobs(context);
  EXPECT_EQ(knobs.gain, -2000.0);
  EXPECT_TRUE(knobs.realtime);
  EXPECT_EQ(knobs.path.value(), "none");
  EXPECT_THAT(context.unknown(), ElementsAre("other"));
  Context bad = Context::with({{"gain", "loud"}});
  EXPECT_THROW(Knobs{bad}, std::invalid_argument);
  Context worse = Context::with({{"realtime", "yes"}});
  EXPECT_THROW(Knobs{worse}, std::invalid_argument);
}

TEST(Context, RefusesArgumentsThatAreNotPairs) {
  EXPECT_THROW(Context::from_arguments({"gain"}), std::invalid_argument);
  EXPECT_THROW(Context::from_arguments({"a", "1", "a", "2"}), std::invalid_argument);
  EXPECT_THROW(Context().required("NAMING_CONTEXT_IOR"), std::invalid_argument);
}

}  // namespace
}  // namespace orbweaver::sca
