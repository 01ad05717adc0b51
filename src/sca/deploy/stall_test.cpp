#include "sca/deploy/stall.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

namespace orbweaver::sca {
namespace {

using ::testing::HasSubstr;
using State = Snapshot::State;

/// A stalled run: components by name, the connections between them, and the activity of each.
struct Still {
  Assembly assembly;
  Snapshot snapshot;

  explicit Still(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      Instantiation component;
      component.id = name;
      assembly.components.push_back(component);
      Snapshot::Component what;
      what.pid = 100 + static_cast<int>(snapshot.components.size());
      snapshot.components.push_back(what);
    }
  }
  /// Connects "a.out" to "b.in"; `used` of the 64 places of the receiver's queue are taken.
  Still& connect(const std::string& from, const std::string& to, std::size_t used, bool ended = false) {
    const auto endpoint = [&](const std::string& text) {
      return PortReference{*assembly.find(text.substr(0, text.find('.'))), text.substr(text.find('.') + 1)};
    };
    Connection connection;
    connection.id = from + " to " + to;
    connection.uses = endpoint(from);
    connection.provides = endpoint(to);
    snapshot.components[connection.provides.component].queues.push_back({connection.provides.port, 64, used});
    assembly.connections.push_back(connection);
    snapshot.connections.push_back({10, 10, ended, false});
    return *this;
  }
  Snapshot::Component& at(const char* name) { return snapshot.components[*assembly.find(name)]; }
  Still& is(const char* name, State state) {
    at(name).state = state;
    return *this;
  }
  Still& pushes(const char* name, std::size_t connection) {
    at(name).state = State::working;
    at(name).sending = connection;
    return *this;
  }
  Stall explained() const { return explain_stall(assembly, snapshot, 3); }
};

Still chain() {
  Still still({"source", "filter", "sink"});
  return still.connect("source.out", "filter.in", 64).connect("filter.out", "sink.in", 0);
}

TEST(Stall, NamesTheBusyComponentAndItsWaiters) {
  Still still = chain().pushes("source", 0).is("filter", State::working).is("sink", State::waiting);
  still.at("filter").handling = "in";
  const Stall stall = still.explained();
  EXPECT_EQ(stall.kind, Stall::Kind::waiting);
  EXPECT_EQ(stall.text,
            "no packet has moved for 3 s: filter is busy handling one packet of its port 'in'; source.out → "
            "filter.in "
            "queue 64/64; sink.in waits for packets of filter.out");
}

TEST(Stall, NamesAStoppedProcess) {
  const Stall stall =
      chain().pushes("source", 0).is("filter", State::process_stopped).is("sink", State::waiting).explained();
  EXPECT_THAT(stall.text,
              HasSubstr("filter is stopped, by SIGSTOP or a debugger: kill -CONT 101 resumes it"));
}

TEST(Stall, NamesAnUnresponsiveComponent) {
  const Stall stall = chain()
                          .is("source", State::unresponsive)
                          .is("filter", State::waiting)
                          .is("sink", State::waiting)
                          .explained();
  EXPECT_THAT(stall.text, HasSubstr("source (process 100) does not respond"));
  EXPECT_THAT(stall.text, HasSubstr("filter.in waits for packets of source.out"));
}

TEST(Stall, IgnoresASleepingSource) {
  const Stall stall = chain()
                          .is("source", State::sleeping)
                          .is("filter", State::waiting)
                          .is("sink", State::waiting)
                          .explained();
  EXPECT_EQ(stall.kind, Stall::Kind::none);
}

TEST(Stall, NamesABrokenConnection) {
  Still still = chain().is("source", State::finished).is("filter", State::waiting).is("sink", State::waiting);
  still.snapshot.connections[0].broken = true;
  EXPECT_EQ(still.explained().kind, Stall::Kind::broken);
  EXPECT_THAT(still.explained().text, HasSubstr("(source.out → filter.in) is broken"));
}

TEST(Stall, ReportsAMissingEndOfStream) {
  const Stall stall = chain()
                          .is("source", State::finished)
                          .is("filter", State::waiting)
                          .is("sink", State::waiting)
                          .explained();
  EXPECT_EQ(stall.kind, Stall::Kind::waiting);
  EXPECT_THAT(stall.text, HasSubstr("source has ended, and the end of its stream has not arrived"));
}

Still loop(std::size_t used) {
  Still still({"source", "adder", "delay", "sink"});
  return still.connect("source.out", "adder.in", used, used == 0)
      .connect("adder.again", "delay.in", used)
      .connect("delay.out", "adder.back", used)
      .connect("adder.out", "sink.in", 0);
}

TEST(Stall, PrintsTheCycleOfADeadlock) {
  const Stall stall = loop(64)
                          .pushes("source", 0)
                          .pushes("adder", 1)
                          .pushes("delay", 2)
                          .is("sink", State::waiting)
                          .explained();
  EXPECT_EQ(stall.kind, Stall::Kind::deadlock);
  EXPECT_THAT(stall.text,
              HasSubstr("adder.again → delay.in queue 64/64, delay.out → adder.back queue 64/64"));
}

TEST(Stall, DoesNotReportACycleWithFreeQueueSpace) {
  Still still = loop(64).pushes("source", 0).pushes("adder", 1).pushes("delay", 2).is("sink", State::waiting);
  for (auto& queue : still.at("adder").queues) queue.used = 63;
  EXPECT_NE(still.explained().kind, Stall::Kind::deadlock);
}

TEST(Stall, NamesTheHolderOfTheBlocksOfAPort) {
  Still still({"source", "one", "two"});
  still.connect("source.out", "one.in", 0).connect("source.out", "two.in", 12);
  still.pushes("source", 0).is("one", State::waiting).is("two", State::process_stopped);
  still.at("source").waiting_for_block = true;
  const Stall stall = still.explained();
  EXPECT_EQ(stall.kind, Stall::Kind::waiting);
  EXPECT_THAT(stall.text, HasSubstr("two is stopped"));
  EXPECT_THAT(stall.text, HasSubstr("source.out → two.in queue 12/64, all blocks of source.out in use"));
}

TEST(Stall, PrintsTheCycleOfADeadlockOfBlocks) {
  Still still = loop(64).pushes("source", 0).pushes("adder", 1).pushes("delay", 2).is("sink", State::waiting);
  still.at("delay").queues[0].used = 3;
  EXPECT_NE(still.explained().kind, Stall::Kind::deadlock);
  still.at("adder").waiting_for_block = true;
  const Stall stall = still.explained();
  EXPECT_EQ(stall.kind, Stall::Kind::deadlock);
  EXPECT_THAT(stall.text, HasSubstr("adder.again → delay.in queue 3/64, all blocks of adder.again in use, "
                                    "delay.out → adder.back queue 64/64"));
  EXPECT_THAT(stall.text, HasSubstr("-ORBTune pool-bytes"));
}

TEST(Stall, FindsAnEmptyLoop) {
  Still still = loop(0)
                    .is("source", State::finished)
                    .is("adder", State::waiting)
                    .is("delay", State::waiting)
                    .is("sink", State::waiting);
  const Stall stall = still.explained();
  EXPECT_EQ(stall.kind, Stall::Kind::empty_loop);
  EXPECT_EQ(stall.component, 1u);
  EXPECT_THAT(stall.text, HasSubstr("adder → delay → adder"));
  still.snapshot.connections[2].sent = 11;
  EXPECT_EQ(still.explained().kind, Stall::Kind::waiting) << "one packet is in transit or lost";
}

TEST(Snapshot, IsEqualWithoutProgress) {
  const Still still = loop(64).pushes("source", 0);
  Still other = still;
  EXPECT_TRUE(still.snapshot.same_as(other.snapshot));
  other.at("adder").steps = 1;
  EXPECT_FALSE(still.snapshot.same_as(other.snapshot));
  other = still;
  other.snapshot.connections[0].taken = 11;
  EXPECT_FALSE(still.snapshot.same_as(other.snapshot));
  EXPECT_FALSE(still.snapshot.same_as(Snapshot()));
}

}  // namespace
}  // namespace orbweaver::sca
