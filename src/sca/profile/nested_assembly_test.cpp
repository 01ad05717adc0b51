// Inner assemblies: what an assembly has of each instance of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/testdata/nested_profiles.h"

namespace orbweaver::sca {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::ids;
using testing::kInner;
using testing::NestedProfiles;

TEST(NestedAssembly, ReportsAMistakeAtItsPlaceInTheInnerFile) {
  NestedProfiles profiles;
  profiles.replace(kInner, "value=\"100\"", "value=\"many\"");
  profiles.with("<identifier>result<", "<identifier>in<");
  EXPECT_EQ(
      profiles.checked(),
      "outer.sad.xml:14:26: external port 'in' of assembly 'left' is a provides port; swap the two ends\n"
      "chain.sad.xml:15:30: 'many' cannot be the value of 'packets'; it must be a whole number from 0 "
      "to 4294967295\n");
  EXPECT_THAT(profiles.problem(), HasSubstr("outer.sad.xml:14:26: external port 'in'"));
}

TEST(NestedAssembly, HasTheComponentsOfEveryInstance) {
  const Assembly assembly = NestedProfiles().loaded();
  EXPECT_THAT(ids(assembly.components),
              ElementsAre("left:source_1", "left:filter_1", "left:sink_1", "right:source_1", "right:filter_1",
                          "right:sink_1", "sink"));
  EXPECT_EQ(assembly.components[3].name, "right:Source");
  EXPECT_EQ(assembly.components[3].naming, "right:source");
  EXPECT_EQ(assembly.packages.size(), 3u) << "each file once";
  EXPECT_EQ(assembly.package_of(2).name, "sink");
  EXPECT_EQ(&assembly.package_of(2), &assembly.package_of(6));
  EXPECT_THAT(assembly.components[4].where.text(), EndsWith("chain.sad.xml:22:9"));
  ASSERT_EQ(assembly.hosts.size(), 2u);
  EXPECT_EQ(assembly.hosts[1].name, "right:close");
  EXPECT_THAT(assembly.hosts[1].components, ElementsAre(4, 5));
  EXPECT_THAT(assembly.inner_files, ElementsAre(EndsWith("/chain.sad.xml")));
}

TEST(NestedAssembly, HasTheConnectionsOfEveryInstance) {
  const Assembly assembly = NestedProfiles().loaded();
  std::vector<std::string> found;
  for (const Connection& each : assembly.connections)
    found.push_back(each.id + " " + assembly.components[each.uses.component].id + "." + each.uses.port + " " +
                    assembly.components[each.provides.component].id + "." + each.provides.port);
  EXPECT_THAT(
      found,
      ElementsAre("left:c1 left:source_1.out left:filter_1.in", "left:c2 left:filter_1.out left:sink_1.in",
                  "right:c1 right:source_1.out right:filter_1.in",
                  "right:c2 right:filter_1.out right:sink_1.in", "c left:filter_1.out sink.in"));
  EXPECT_EQ(assembly.connections[4].interface, "IDL:orbweaver/stream/FloatInput:1.0");
}

TEST(NestedAssembly, HasExternalPartsOfInnerOnes) {
  const Assembly assembly = NestedProfiles().loaded();
  ASSERT_EQ(assembly.external_ports.size(), 1u);
  EXPECT_EQ(assembly.external_ports[0].name, "output");
  EXPECT_EQ(assembly.external_ports[0].port.component, 4u);
  EXPECT_EQ(assembly.external_ports[0].port.port, "out");
  ASSERT_EQ(assembly.external_properties.size(), 1u);
  EXPECT_EQ(assembly.external_properties[0].id, "right_length");
  EXPECT_EQ(assembly.external_properties[0].component, 3u);
  EXPECT_EQ(assembly.external_properties[0].property, "packets");
  EXPECT_EQ(assembly.controller, 0u);
  EXPECT_THAT(assembly.other_controllers, ElementsAre(3));
}

TEST(NestedAssembly, HasTheValuesOfItsInstantiation) {
  const Assembly assembly = NestedProfiles().loaded();
  ASSERT_EQ(assembly.components[0].settings.size(), 1u);
  EXPECT_EQ(assembly.components[0].settings[0].value, "7");
  EXPECT_EQ(assembly.components[3].settings[0].value, "100") << "of the inner SAD";
  EXPECT_EQ(assembly.components[2].device, "d");
  EXPECT_EQ(assembly.components[5].device, "");
  EXPECT_EQ(assembly.components[1].process, "p") << "as of the outer component";
  EXPECT_EQ(assembly.components[6].process, "p");
  EXPECT_EQ(assembly.components[4].process, "right:together");
  EXPECT_EQ(assembly.components[1].cores, "1,3");
}

TEST(NestedAssembly, HasEachAssignmentOnce) {
  const std::string device = "<deviceassignment componentid='sink_1' assignedDeviceid='";
  EXPECT_EQ(
      NestedProfiles().with(device, device + "e'/>" + device).checked(),
      "outer.sad.xml:8:195: a second device for component 'sink_1'; the first is in line 8; remove one of "
      "them\n");
  const std::string end = "</executionaffinityassignments>";
  const auto with = [&](const std::string& component, const std::string& process, const std::string& cores) {
    return NestedProfiles()
        .with(end, "<executionaffinityassignment componentid='" + component + "'" + process + ">" + cores +
                       "</executionaffinityassignment>" + end)
        .checked();
  };
  EXPECT_THAT(with("filter_1", " processcollocation='q'", ""),
              HasSubstr("a second process for component 'filter_1'; the first is in line 8"));
  EXPECT_THAT(with("filter_1", "", "<coreaffinity>0</coreaffinity>"),
              HasSubstr("a second list of cores for component 'filter_1'; the first is in line 8"));
  EXPECT_EQ(with("source_1", " processcollocation='p'", "<coreaffinity>0</coreaffinity>"), "");
}

TEST(NestedAssembly, HasNoEmptyAssignment) {
  EXPECT_THAT(NestedProfiles().with("assignedDeviceid='d'", "assignedDeviceid=''").checked(),
              HasSubstr("assignedDeviceid is empty; give the id of a device"));
  EXPECT_THAT(NestedProfiles().with("processcollocation='p'", "processcollocation=''").checked(),
              HasSubstr("processcollocation is empty"));
}

TEST(NestedAssembly, HasEachCoreOnce) {
  const Assembly assembly = NestedProfiles()
                                .with("<coreaffinity>3<", "<coreaffinity>1</coreaffinity><coreaffinity>3<")
                                .with("<coreaffinity>0<", "<coreaffinity>0</coreaffinity><coreaffinity>0<")
                                .loaded();
  EXPECT_EQ(assembly.components[1].cores, "1,3");
  EXPECT_EQ(assembly.components[6].cores, "0");
}

TEST(NestedAssembly, SetsExternalPropertiesAndDirectInputs) {
  const Assembly assembly =
      NestedProfiles()
          .with("<simpleref refid='packets' value='7'/>",
                "<simpleref refid='length' value='8'/><simpleref refid='DIRECT_INPUTS' value=''/>")
          .loaded(AssemblyUse::run);
  ASSERT_EQ(assembly.components[0].settings.size(), 1u);
  EXPECT_EQ(assembly.components[0].settings[0].id, "packets");
  EXPECT_EQ(assembly.components[0].settings[0].value, "8");
  EXPECT_THAT(assembly.external_ports, ElementsAre()) << "a run has none";
}

TEST(NestedAssembly, HasTheFactoriesOfEveryInstance) {
  NestedProfiles profiles;
  profiles.add_resource_factory({"sink_1"});
  const Assembly assembly = profiles.loaded();
  EXPECT_THAT(ids(assembly.factories), ElementsAre("left:factory_1", "right:factory_1"));
  EXPECT_EQ(assembly.components[5].factory->id, "right:factory_1");
  EXPECT_EQ(assembly.components[5].factory->factory, 1u);
  profiles.with("<executionaffinityassignment componentid='filter_1'",
                "<executionaffinityassignment componentid='sink_1'");
  EXPECT_THAT(profiles.problem(), HasSubstr("'left:sink_1' is created in the process of resource factory "
                                            "'left:factory_1'; leave out processcollocation"));
}

TEST(NestedAssembly, HasTheDevicesOfEveryInstance) {
  NestedProfiles profiles;
  profiles.replace(kInner, "</softwareassembly>",
                   "<usesdevicedependencies><usesdevice id=\"d1\"><propertyref refid=\"band\" value=\"7\"/>"
                   "</usesdevice></usesdevicedependencies></softwareassembly>");
  profiles.replace(kInner, "<componentinstantiationref refid=\"sink_1\"/></providesport>",
                   "<deviceusedbyapplication usesrefid=\"d1\"/></providesport>");
  const Assembly assembly = profiles.loaded();
  ASSERT_EQ(assembly.devices.size(), 2u);
  EXPECT_EQ(assembly.devices[1].id, "right:d1");
  EXPECT_EQ(assembly.connections[3].provides.name, "right:d1");
}

TEST(NestedAssembly, PlacesTheDevicesOfEachInstanceWithItsCollocation) {
  NestedProfiles profiles;
  profiles.replace(kInner, "</hostcollocation>", "<usesdeviceref refid=\"d1\"/></hostcollocation>")
      .replace(kInner, "</softwareassembly>",
               "<usesdevicedependencies><usesdevice id=\"d1\"><propertyref refid=\"band\" value=\"7\"/>"
               "</usesdevice></usesdevicedependencies></softwareassembly>");
  const Assembly assembly = profiles.loaded();
  ASSERT_EQ(assembly.hosts.size(), 2u);
  EXPECT_THAT(assembly.hosts[0].devices, ElementsAre("left:d1"));
  EXPECT_THAT(assembly.hosts[1].devices, ElementsAre("right:d1"));
}

TEST(NestedAssembly, HasTheLastValueOfAPropertyWithSeveralIds) {
  const Assembly assembly =
      NestedProfiles()
          .with("<simpleref refid='packets' value='7'/>",
                "<simpleref refid='packets' value='7'/><simpleref refid='gain' value='3'/>"
                "<simpleref refid='length' value='8'/>")
          .loaded();
  std::vector<std::string> values;
  for (const PropertySetting& each : assembly.components[0].settings)
    values.push_back(each.id + "=" + each.value);
  EXPECT_THAT(values, ElementsAre("gain=3", "packets=8"));
}

TEST(NestedAssembly, AcceptsAnInterfaceThatOnlyTheInnerProfilesDerive) {
  NestedProfiles profiles;
  profiles.replace("sink.scd.xml", "<provides repid=\"IDL:orbweaver/stream/FloatInput:1.0\"",
                   "<provides repid=\"IDL:orbweaver/stream/Derived:1.0\"");
  EXPECT_THAT(profiles.checked(), HasSubstr("outer.sad.xml:14:1: port 'result' of 'left' calls "
                                            "IDL:orbweaver/stream/FloatInput:1.0, but port 'in' of 'sink'"));
  profiles.replace("filter.scd.xml", "<interfaces>",
                   "<interfaces><interface repid=\"IDL:orbweaver/stream/Derived:1.0\" name=\"Derived\">"
                   "<inheritsinterface repid=\"IDL:orbweaver/stream/FloatInput:1.0\"/></interface>");
  EXPECT_EQ(profiles.checked(), "");
}

}  // namespace
}  // namespace orbweaver::sca
