// Inner assemblies that are rejected, and their limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/testdata/nested_profiles.h"

namespace orbweaver::sca {
namespace {

using testing::component_file;
using testing::connection;
using ::testing::HasSubstr;
using testing::kInner;
using testing::kOuter;
using testing::NestedProfiles;
using testing::of_assembly;
using testing::of_component;
using ::testing::StartsWith;

TEST(NestedAssembly, RejectsEqualIds) {
  NestedProfiles profiles;
  profiles.with("id='sink' processcollocation", "id='left:sink_1' processcollocation")
      .with("refid='sink'/>", "refid='left:sink_1'/>");
  EXPECT_EQ(profiles.checked(),
            "outer.sad.xml:10:57: 'left:sink_1' is also the id of a component of "
            "assembly 'left'; rename this component\n");
  // `a` has a component `b:sink_1`, and so has `a:b` a component `sink_1`.
  NestedProfiles deep;
  deep.write("middle.sad.xml", "<softwareassembly name='middle'><componentfiles>" +
                                   component_file("f", kInner) +
                                   "</componentfiles><partitioning><assemblyplacement><componentfileref "
                                   "refid='f'/><assemblyinstantiation id='b'/></assemblyplacement>"
                                   "</partitioning><assemblycontroller><assemblyinstantiationref refid='b'/>"
                                   "</assemblycontroller></softwareassembly>");
  deep.write(kOuter, "<softwareassembly name='outer'><componentfiles>" + component_file("f", kInner) +
                         component_file("m", "middle.sad.xml") +
                         "</componentfiles><partitioning><assemblyplacement><componentfileref refid='f'/>"
                         "<assemblyinstantiation id='a:b'/></assemblyplacement><assemblyplacement>"
                         "<componentfileref refid='m'/><assemblyinstantiation id='a'/></assemblyplacement>"
                         "</partitioning><assemblycontroller><assemblyinstantiationref refid='a'/>"
                         "</assemblycontroller></softwareassembly>");
  const std::string found =
      "chain.sad.xml:13:7: a second id 'a:b:source_1'; the first is in chain.sad.xml:13:7; rename one";
  EXPECT_THAT(deep.checked(), StartsWith(found));
  EXPECT_THAT(deep.problem(), StartsWith(found));
}

TEST(NestedAssembly, RejectsASecondConnectionOfTwoPorts) {
  NestedProfiles profiles;
  profiles.replace(kInner, "</externalports>",
                   "<port externalname=\"again\"><usesidentifier>out</usesidentifier>"
                   "<componentinstantiationref refid=\"filter_1\"/></port></externalports>");
  profiles.with("</connections>",
                connection("d", of_assembly("left", "again"), of_component("sink", "in")) + "</connections>");
  EXPECT_THAT(profiles.problem(),
              HasSubstr("outer.sad.xml:15:1: these two ports are connected already (outer.sad.xml:14:1)"));
}

TEST(NestedAssembly, RejectsOneThatContainsItself) {
  NestedProfiles profiles;
  profiles.replace(kInner, "<localfile name=\"sink.spd.xml\"/>", "<localfile name=\"outer.sad.xml\"/>");
  EXPECT_THAT(
      profiles.checked(),
      HasSubstr("chain.sad.xml:8:45: 'outer.sad.xml' contains itself, through this file; remove one of "
                "the references"));
  EXPECT_THAT(profiles.problem(), HasSubstr("contains itself"));
}

TEST(NestedAssembly, IsAtMostSixteenDeep) {
  NestedProfiles profiles;
  EXPECT_EQ(profiles.write_chain(kMaxAssemblyDepth - 1).problem(), "nothing");
  EXPECT_EQ(profiles.loaded().components[0].id.size(), (kMaxAssemblyDepth - 1) * 2 + 8);
  profiles.write_chain(kMaxAssemblyDepth);
  EXPECT_EQ(profiles.checked(),
            "outer.sad.xml:3:1: assemblies are nested more than 16 deep; place the "
            "components of the inner ones here\n");
}

TEST(NestedAssembly, HasALimitOfComponents) {
  NestedProfiles profiles;
  // Each level has two of the next one: 2^15 times three components.
  profiles.write_chain(kMaxAssemblyDepth - 1);
  for (std::size_t i = 1; i < kMaxAssemblyDepth; ++i)
    profiles.replace(i == 1 ? kOuter : "a" + std::to_string(i) + ".sad.xml", "</assemblyplacement>",
                     "<assemblyinstantiation id='j'/></assemblyplacement>");
  const std::string found =
      "a9.sad.xml:3:32: with assembly 'j', there are more than 256 components; split the assembly";
  EXPECT_EQ(profiles.checked(), found + "\n");
  EXPECT_EQ(profiles.problem(), found);
}

TEST(NestedAssembly, HasALimitOfText) {
  NestedProfiles profiles;
  const std::string comment = "<!--" + std::string(3 << 20, 'x') + "-->";
  profiles.replace(kInner, "</softwareassembly>", comment + "</softwareassembly>");
  std::string more;
  for (int i = 0; i < 25; ++i) more += "<assemblyinstantiation id='i" + std::to_string(i) + "'/>";
  profiles.with("<assemblyinstantiation id='right'/>", "<assemblyinstantiation id='right'/>" + more);
  EXPECT_THAT(profiles.problem(), HasSubstr("more than 67108864 bytes of SADs"));
}

/// An element with `count` used devices, whose ids have `bytes` bytes.
std::string used_devices(std::size_t count, std::size_t bytes) {
  std::string text = "<usesdevicedependencies>";
  for (std::size_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    text += "<usesdevice id='" + std::string(bytes - number.size(), 'd') + number +
            "'><propertyref refid='band' value='7'/></usesdevice>";
  }
  return text + "</usesdevicedependencies>";
}

TEST(NestedAssembly, HasALimitOfUsedDevices) {
  NestedProfiles profiles;
  profiles.replace(kInner, "</softwareassembly>",
                   used_devices(kMaxUsedDevices / 2 + 1, 8) + "</softwareassembly>");
  EXPECT_THAT(profiles.problem(),
              HasSubstr("outer.sad.xml:9:1: with assembly 'right', there are more than 1024 "
                        "<usesdevice> and <usesdeviceref>; split the assembly"));
}

TEST(NestedAssembly, HasALimitOfTextInIds) {
  NestedProfiles profiles;
  profiles.write_chain(kMaxAssemblyDepth - 1);
  profiles.replace(kInner, "</softwareassembly>",
                   used_devices(kMaxUsedDevices / 2, 7000) + "</softwareassembly>");
  EXPECT_EQ(profiles.problem(), "nothing");
  profiles.replace(kOuter, "</assemblyplacement>", "<assemblyinstantiation id='j'/></assemblyplacement>");
  EXPECT_THAT(
      profiles.problem(),
      HasSubstr("outer.sad.xml:3:32: with assembly 'j', there are more than 67108864 bytes of SADs, and "
                "of ids in inner ones, each counted for every instantiation"));
}

TEST(NestedAssembly, RejectsIdsOfWhichARunCannotMakeNames) {
  NestedProfiles profiles;
  profiles.with("<assemblyinstantiation id='right'/>", "<assemblyinstantiation id='a.b'/>")
      .with("<assemblyinstantiationref refid='right'/></assemblycontroller>",
            "<assemblyinstantiationref refid='a.b'/></assemblycontroller>")
      .with("<assemblyinstantiationref refid='right'/></port>",
            "<assemblyinstantiationref refid='a.b'/></port>")
      .with("comprefid='right'", "comprefid='a.b'");
  EXPECT_THAT(profiles.problem(AssemblyUse::run),
              HasSubstr("outer.sad.xml:9:1: 'a.b' cannot be a component's"));
  EXPECT_EQ(profiles.problem(AssemblyUse::domain), "nothing");
  const std::string text = "<assemblyinstantiation id='" + std::string(kMaxInnerIdBytes + 1, 'a') + "'/>";
  EXPECT_THAT(NestedProfiles()
                  .with("<assemblyinstantiation id='right'/>", "<assemblyinstantiation id='right'/>" + text)
                  .checked(),
              HasSubstr("outer.sad.xml:9:36: the id of an inner assembly has more than 255 bytes"));
}

}  // namespace
}  // namespace orbweaver::sca
