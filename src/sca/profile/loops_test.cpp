// Loops of streams and direct inputs in an assembly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/testdata/test_profiles.h"

namespace orbweaver::sca {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using testing::TestProfiles;

const std::string kLoopSad = "chain.sad.xml";

/// source_1 → filter_1 → sink_1, where sink_1 is a filter, too, so that it has an output.
struct LoopProfiles : TestProfiles {
  LoopProfiles() {
    replace(kLoopSad, "<componentfileref refid=\"sink_spd\"/>", "<componentfileref refid=\"filter_spd\"/>");
  }
  LoopProfiles& connect(const std::string& id, const std::string& from, const std::string& to) {
    replace(kLoopSad, "</connections>",
            "<connectinterface id=\"" + id +
                "\"><usesport><usesidentifier>out</usesidentifier><componentinstantiationref refid=\"" +
                from + "\"/></usesport><providesport><providesidentifier>in</providesidentifier>" +
                "<componentinstantiationref refid=\"" + to + "\"/></providesport></connectinterface>\n" +
                "</connections>");
    return *this;
  }
  LoopProfiles& disconnect(const std::string& id) {
    const std::string all = read(kLoopSad);
    const auto begin = all.find("    <connectinterface id=\"" + id + "\">");
    const auto end = all.find("</connectinterface>", begin) + 20;
    write(kLoopSad, all.substr(0, begin) + all.substr(end));
    return *this;
  }
  LoopProfiles& direct(const std::string& component, const std::string& ports = "in") {
    set_direct_inputs(component, ports);
    return *this;
  }
  /// The warnings about loops, without the folder.
  std::vector<std::string> loop_warnings() const {
    std::vector<std::string> found;
    const auto loaded = load();
    EXPECT_TRUE(loaded) << loaded.error().message;
    for (const std::string& warning : loaded->warnings) {
      if (warning.find("loop") != std::string::npos) found.push_back(warning.substr(path("").size()));
    }
    return found;
  }
};

TEST(Loops, AreAcceptedIfPacketsCanEnterThem) {
  EXPECT_THAT(LoopProfiles().loop_warnings(), IsEmpty());
  EXPECT_THAT(LoopProfiles().connect("back", "sink_1", "filter_1").loop_warnings(), IsEmpty());
}

TEST(Loops, AreNamedIfNoPacketCanEnterThem) {
  EXPECT_THAT(LoopProfiles().connect("back", "sink_1", "filter_1").disconnect("c1").loop_warnings(),
              ElementsAre("chain.sad.xml:36:3: no packet can enter the loop filter_1 → sink_1 → filter_1: it "
                          "waits for itself, unless a component of it sends packets in on_start()"));
}

TEST(Loops, OfOneComponentAreNamed) {
  EXPECT_THAT(LoopProfiles().connect("back", "filter_1", "filter_1").disconnect("c1").loop_warnings(),
              ElementsAre(HasSubstr("the loop filter_1 → filter_1:")));
}

TEST(Loops, AreNamedOnceIfComponentsFollowThem) {
  LoopProfiles profiles;
  profiles.replace(kLoopSad, "<componentinstantiation id=\"sink_1\"/>",
                   "<componentinstantiation id=\"first\"/><componentinstantiation id=\"sink_1\"/>"
                   "<componentinstantiation id=\"last\"/>");
  profiles.connect("back", "sink_1", "filter_1").connect("to first", "filter_1", "first").disconnect("c1");
  EXPECT_THAT(profiles.connect("to last", "first", "last").loop_warnings(),
              ElementsAre(HasSubstr("filter_1 → sink_1 → filter_1:")));
  EXPECT_THAT(profiles.connect("self", "last", "last").loop_warnings().size(), 1u) << "packets can enter it";
}

TEST(DirectInputs, AreRead) {
  const auto loaded = LoopProfiles().direct("filter_1").load();
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_THAT(loaded->components[1].direct_inputs, ElementsAre("in"));
  EXPECT_THAT(loaded->components[1].settings, IsEmpty());
}

TEST(DirectInputs, AreReadWithoutBlanksAndRepetitions) {
  const auto read = [](const std::string& list) {
    const auto loaded = LoopProfiles().direct("filter_1", list).load();
    EXPECT_TRUE(loaded) << loaded.error().message;
    return loaded->components[1].direct_inputs;
  };
  EXPECT_THAT(read(""), IsEmpty());
  EXPECT_THAT(read(" "), IsEmpty());
  EXPECT_THAT(read(" in, in "), ElementsAre("in"));
}

TEST(DirectInputs, MustBeProvidesPorts) {
  EXPECT_THAT(LoopProfiles().direct("filter_1", "in,out").problem(),
              AllOf(StartsWith("chain.sad.xml:22:68: component 'filter_1' has no provides port 'out'"),
                    HasSubstr("it declares in")));
  EXPECT_THAT(LoopProfiles().direct("filter_1", "in,").problem(), HasSubstr("has no provides port ''"));
  LoopProfiles factory;
  factory.add_resource_factory();
  EXPECT_THAT(factory.direct("factory_1").problem(),
              HasSubstr("'factory_1' is a resource factory, which has no ports; remove DIRECT_INPUTS"));
}

TEST(DirectInputs, AreRejectedInALoop) {
  EXPECT_THAT(
      LoopProfiles().direct("filter_1").connect("back", "sink_1", "filter_1").problem(),
      AllOf(StartsWith("chain.sad.xml:40:3: the loop sink_1 → filter_1 → sink_1 would wait for itself: "
                       "port 'in' of 'filter_1' is a direct input"),
            HasSubstr("leave it out of DIRECT_INPUTS in line 22")));
  EXPECT_THAT(LoopProfiles().direct("sink_1").connect("self", "sink_1", "sink_1").problem(),
              HasSubstr("the loop sink_1 → sink_1 would wait for itself"));
  EXPECT_EQ(LoopProfiles().direct("filter_1").connect("self", "sink_1", "sink_1").problem(), "nothing")
      << "the direct input leads into the loop and is not in it";
  EXPECT_EQ(LoopProfiles().direct("sink_1").connect("self", "filter_1", "filter_1").problem(), "nothing")
      << "the loop leads to the direct input";
}

}  // namespace
}  // namespace orbweaver::sca
