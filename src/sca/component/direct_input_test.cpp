// Inputs whose packets are handled by direct calls, on the threads of their senders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include <orbweaver/sca/direct_connection.h>

#include "platform/testing/becomes_true.h"
#include "platform/testing/waiting_thread.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using platform::testing::WaitingThread;
using ::testing::ElementsAre;

/// Records what its functions get, on which thread, and how many of them run at once.
class Recorder : public Component {
 public:
  using Component::Component;
  ~Recorder() override { shut_down(); }

  std::vector<float> heard;
  std::thread::id thread;
  const float* data = nullptr;
  std::atomic<int> others{0}, ends{0}, overlaps{0};
  std::function<void()> in_handler = [] {};

 protected:
  void on_start() override {
    alone([] {});
  }
  void on_configure() override {
    alone([] {});
  }
  void on_stop() override {
    alone([] {});
  }
  void on_end() override {
    alone([&] { ++ends; });
    out_.push(std::vector<float>{-1});
  }

 private:
  void alone(const std::function<void()>& function) {
    if (inside_.fetch_add(1) != 0) ++overlaps;
    function();
    inside_.fetch_sub(1);
  }
  void hear(const Packet<float>& packet) {
    alone([&] {
      thread = std::this_thread::get_id();
      data = packet.samples.data();
      in_handler();
      heard.push_back(packet.samples[0]);
      out_.push(packet.samples);
    });
  }

  Input<float> in_{*this, "in", [this](const Packet<float>& packet) { hear(packet); }};
  Input<float> other_{*this, "other", [this](const Packet<float>&) { alone([&] { ++others; }); }};
  Output<float> out_{*this, "out"};
  Property<std::uint32_t> number_{*this, "number", 0};
  std::atomic<int> inside_{0};
};

Context direct(const std::string& inputs = "in", const std::string& streams = "in=1") {
  return Context::with({{"DIRECT_INPUTS", inputs}, {"STREAMS_EXPECTED", streams}});
}

bool push(Component& component, const char* port, std::uint64_t number, std::vector<float> samples = {1},
          std::uint64_t stream = 1, bool end = false) {
  auto& input = dynamic_cast<Input<float>&>(*component.find_input(port));
  return input.accept({stream, number, now_ns(), 0, end}, samples);
}

TEST(DirectInput, HandlesAPacketInPlaceOnTheThreadOfTheSender) {
  Context context = direct();
  Recorder component(context);
  component.start();
  const std::vector<float> samples{3, 4};
  auto& input = dynamic_cast<Input<float>&>(*component.find_input("in"));
  EXPECT_TRUE(input.accept({1, 0, now_ns(), 0, false}, samples));
  EXPECT_THAT(component.heard, ElementsAre(3)) << "before the push returns";
  EXPECT_EQ(component.thread, std::this_thread::get_id());
  EXPECT_EQ(component.data, samples.data());
  EXPECT_EQ(input.queue_high_water(), 0u);
  EXPECT_EQ(input.monitor().figures()[0].packets, 1u);
  EXPECT_EQ(component.activity().steps, 1u);
}

TEST(DirectInput, IsOneOfTheListedPorts) {
  Context context = direct("other,out");
  Recorder component(context);
  EXPECT_FALSE(component.find_input("in")->is_direct());
  EXPECT_TRUE(component.find_input("other")->is_direct());
  Context none;
  EXPECT_FALSE(Recorder(none).find_input("in")->is_direct());
}

TEST(DirectInput, EndsTheComponentOnItsOwnThread) {
  Context a = direct(), b = direct();
  Recorder first(a), second(b);
  connect_directly<float>(*first.find_output("out"), *second.find_input("in"));
  second.start();
  first.start();
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_TRUE(push(first, "in", i, {static_cast<float>(i)}));
  EXPECT_THAT(second.heard, ElementsAre(0, 1, 2)) << "the second call is made within the first";
  EXPECT_TRUE(push(first, "in", 3, {}, 1, true));
  ASSERT_TRUE(becomes_true([&] { return second.finished(); }));
  EXPECT_THAT(second.heard, ElementsAre(0, 1, 2, -1));
  EXPECT_EQ(second.ends, 1);
  EXPECT_FALSE(push(first, "in", 4)) << "the component has ended";
}

TEST(DirectInput, WaitsUntilTheComponentRuns) {
  Context context = direct();
  Recorder component(context);
  std::atomic<bool> accepted{false};
  {
    WaitingThread sender([&] { accepted = push(component, "in", 0); });
    EXPECT_TRUE(sender.waits());
    EXPECT_TRUE(component.heard.empty());
    component.start();
  }
  EXPECT_TRUE(accepted);
  component.stop();
  {
    WaitingThread sender([&] { accepted = push(component, "in", 1); });
    EXPECT_TRUE(sender.waits());
    EXPECT_EQ(component.heard.size(), 1u);
    component.start();
  }
  EXPECT_EQ(component.heard.size(), 2u);
}

TEST(DirectInput, ReleasesAWaitingSenderOnShutdown) {
  Context context = direct();
  Recorder component(context);
  std::atomic<bool> accepted{true};
  {
    WaitingThread sender([&] { accepted = push(component, "in", 0); });
    EXPECT_TRUE(sender.waits());
    component.close_inputs();
  }
  EXPECT_FALSE(accepted);
}

TEST(DirectInput, StopsAfterTheHandler) {
  Context context = direct();
  Recorder component(context);
  std::atomic<bool> inside{false}, go_on{false};
  component.in_handler = [&] {
    inside = true;
    while (!go_on) std::this_thread::yield();
  };
  component.start();
  std::thread sender([&] { push(component, "in", 0); });
  while (!inside) std::this_thread::yield();
  {
    WaitingThread stopper([&] { component.stop(); });
    EXPECT_TRUE(stopper.waits());
    go_on = true;
  }
  EXPECT_EQ(component.heard.size(), 1u);
  EXPECT_EQ(component.overlaps, 0) << "on_stop() ran after it";
  sender.join();
}

TEST(DirectInput, RunsOneFunctionOfTheComponentAtATime) {
  constexpr std::uint64_t kPackets = 2000;
  Context context = direct("in", "in=2,other=1");
  Recorder component(context);
  component.start();
  std::vector<std::thread> senders;
  for (const std::uint64_t stream : {1, 2}) {
    senders.emplace_back([&, stream] {
      for (std::uint64_t i = 0; i < kPackets; ++i) push(component, "in", i, {1}, stream);
      push(component, "in", kPackets, {}, stream, true);
    });
  }
  senders.emplace_back([&] {  // a port with a queue, whose packets the component's own thread handles
    for (std::uint64_t i = 0; i < kPackets; ++i) push(component, "other", i, {1}, 3);
    push(component, "other", kPackets, {}, 3, true);
  });
  for (int i = 0; i < 100; ++i) component.configure({{"number", std::to_string(i)}});
  for (std::thread& sender : senders) sender.join();
  ASSERT_TRUE(becomes_true([&] { return component.finished(); }));
  EXPECT_EQ(component.heard.size(), 2 * kPackets);
  EXPECT_EQ(component.others, static_cast<int>(kPackets));
  EXPECT_EQ(component.overlaps, 0);
  EXPECT_EQ(component.query("number"), "99");
  for (const auto& stream : component.find_input("in")->monitor().figures()) EXPECT_EQ(stream.reordered, 0u);
}

TEST(DirectInput, AppliesConfigurationBeforeThePacket) {
  Context context = direct();
  Recorder component(context);
  component.start();
  component.in_handler = [&] { EXPECT_EQ(component.query("number"), "5"); };
  component.configure({{"number", "5"}});
  EXPECT_TRUE(push(component, "in", 0));
}

TEST(DirectInput, ReportsAnExceptionAsThatOfItsComponent) {
  Context context = direct();
  Recorder component(context);
  std::thread::id told;
  component.on_failure([&](std::exception_ptr) { told = std::this_thread::get_id(); });
  component.in_handler = [] { throw std::runtime_error("torn"); };
  component.start();
  EXPECT_FALSE(push(component, "in", 0));
  EXPECT_EQ(told, std::this_thread::get_id());
  EXPECT_FALSE(push(component, "in", 1)) << "it has failed";
}

}  // namespace
}  // namespace orbweaver::sca
