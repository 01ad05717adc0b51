// Assemblies of SCA 4.1: inner assemblies, and the words that only 4.1 has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/profile/check.h"
#include "sca/profile/profiles.h"
#include "sca/testdata/test_profiles.h"

namespace orbweaver::sca {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::TestProfiles;

const std::string kInner = "chain.sad.xml";
const std::string kOuter = "outer.sad.xml";

/// A component file of an assembly.
std::string file(const std::string& id, const std::string& name) {
  return "<componentfile id='" + id + "'><localfile name='" + name + "'/></componentfile>\n";
}

/// A connection from one external port or port to another one.
std::string connection(const std::string& id, const std::string& uses, const std::string& provides) {
  return "<connectinterface id='" + id + "'><usesport>" + uses + "</usesport><providesport>" + provides +
         "</providesport></connectinterface>\n";
}
std::string of_assembly(const std::string& id, const std::string& port) {
  return "<identifier>" + port + "</identifier><assemblyinstantiationref refid='" + id + "'/>";
}
std::string of_component(const std::string& id, const std::string& port) {
  return "<identifier>" + port + "</identifier><componentinstantiationref refid='" + id + "'/>";
}

/// An assembly that contains the test's assembly twice, as `left` and `right`, and a sink.
std::string outer_assembly() {
  return "<softwareassembly name='outer'>\n<componentfiles>\n" + file("inner_sad", kInner) +
         file("sink_spd", "sink.spd.xml") +
         "</componentfiles>\n<partitioning>\n"
         "<assemblyplacement><componentfileref refid='inner_sad'/>\n"
         "<assemblyinstantiation id='left'><componentproperties><simpleref refid='packets' value='7'/>"
         "</componentproperties>"
         "<deviceassignments><deviceassignment componentid='sink_1' assignedDeviceid='d'/>"
         "</deviceassignments>"
         "<executionaffinityassignments><executionaffinityassignment componentid='filter_1' "
         "processcollocation='p'><coreaffinity>1</coreaffinity><coreaffinity>3</coreaffinity>"
         "</executionaffinityassignment></executionaffinityassignments></assemblyinstantiation>\n"
         "<assemblyinstantiation id='right'/></assemblyplacement>\n"
         "<componentplacement><componentfileref refid='sink_spd'/>"
         "<componentinstantiation id='sink' processcollocation='p'><coreaffinity>0</coreaffinity>"
         "</componentinstantiation></componentplacement>\n</partitioning>\n"
         "<assemblycontroller><assemblyinstantiationref refid='left'/>"
         "<assemblyinstantiationref refid='right'/></assemblycontroller>\n<connections>\n" +
         connection("c", of_assembly("left", "result"), of_component("sink", "in")) +
         "</connections>\n<externalports><port externalname='output'><usesidentifier>result"
         "</usesidentifier><assemblyinstantiationref refid='right'/></port></externalports>\n"
         "<externalproperties><property comprefid='right' propid='length' externalpropid='right_length'/>"
         "</externalproperties>\n<deploymentprefs><localfile name='x.add.xml'/></deploymentprefs>\n"
         "</softwareassembly>";
}

struct NestedProfiles : TestProfiles {
  NestedProfiles() {
    write(kOuter, outer_assembly());
    replace(kInner, "</connections>",
            "</connections><externalports><port externalname=\"result\"><usesidentifier>out</usesidentifier>"
            "<componentinstantiationref refid=\"filter_1\"/></port><port><providesidentifier>in"
            "</providesidentifier><componentinstantiationref refid=\"sink_1\"/></port></externalports>"
            "<externalproperties><property comprefid=\"source_1\" propid=\"packets\" "
            "externalpropid=\"length\"/></externalproperties>");
    replace(kInner, "id=\"filter_1\"", "id=\"filter_1\" processcollocation=\"together\"");
    write("x.add.xml",
          "<deploymentprecedence><deploymentoption deployedname='a'><channelref "
          "refname='c'/></deploymentoption></deploymentprecedence>");
  }
  NestedProfiles& with(const std::string& old_text, const std::string& new_text) {
    replace(kOuter, old_text, new_text);
    return *this;
  }
  std::string shortened(std::string text) const {
    const std::string prefix = path("");
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
      text.erase(at, prefix.size());
    return text;
  }
  /// What check prints, without the folder's name.
  std::string checked() const {
    Findings findings;
    Profiles profiles("", Profiles::CodeFiles::may_be_missing, findings);
    profiles.check(path(kOuter));
    check_whole_assemblies(profiles);
    return shortened(findings.text(100, false));
  }
  Result<Assembly> load(AssemblyUse use) const { return load_assembly(path(kOuter), {}, use); }
  Assembly loaded(AssemblyUse use = AssemblyUse::domain) const {
    auto assembly = load(use);
    if (!assembly) throw std::runtime_error(assembly.error().message);
    return std::move(*assembly);
  }
  std::string problem(AssemblyUse use = AssemblyUse::domain) const {
    const auto assembly = load(use);
    return assembly ? "nothing" : shortened(assembly.error().message);
  }
  /// Writes a chain of assemblies that contain each other, the last of which contains the test's assembly.
  NestedProfiles& write_chain(std::size_t length) {
    for (std::size_t i = 1; i <= length; ++i) {
      const std::string inner = i == length ? kInner : "a" + std::to_string(i + 1) + ".sad.xml";
      write(i == 1 ? kOuter : "a" + std::to_string(i) + ".sad.xml",
            "<softwareassembly name='a'><componentfiles>" + file("f", inner) +
                "</componentfiles><partitioning><assemblyplacement><componentfileref refid='f'/>\n"
                "<assemblyinstantiation id='i'/></assemblyplacement></partitioning>"
                "<assemblycontroller><assemblyinstantiationref refid='i'/></assemblycontroller>"
                "</softwareassembly>");
    }
    return *this;
  }
};

std::vector<std::string> ids(const std::vector<Instantiation>& list) {
  std::vector<std::string> all;
  for (const Instantiation& each : list) all.push_back(each.id);
  return all;
}

TEST(Sca41, FormsAreAccepted) {
  EXPECT_EQ(NestedProfiles().checked(), "");
  EXPECT_EQ(NestedProfiles().problem(AssemblyUse::run), "nothing");
  EXPECT_EQ(NestedProfiles().problem(AssemblyUse::domain), "nothing");
}

TEST(Sca41, ReferencesAreChecked) {
  EXPECT_THAT(NestedProfiles().with("<identifier>result<", "<identifier>reslt<").checked(),
              HasSubstr("assembly 'left' has no external port 'reslt'; it has in or result"));
  EXPECT_THAT(NestedProfiles().with("componentid='sink_1'", "componentid='sink_9'").checked(),
              HasSubstr("assembly 'left' has no component 'sink_9'"));
  EXPECT_THAT(
      NestedProfiles().with("refid='packets'", "refid='pakets'").checked(),
      HasSubstr("outer.sad.xml:8:55: assembly 'left' has no property 'pakets'; did you mean 'packets'?"));
  EXPECT_THAT(NestedProfiles().with("propid='length'", "propid='lenth'").checked(),
              HasSubstr("assembly 'right' has no property 'lenth'; it has"));
  EXPECT_THAT(
      NestedProfiles()
          .with("</componentinstantiation>", "<componentfactoryref refid='none'/></componentinstantiation>")
          .checked(),
      HasSubstr("there is no component factory 'none'"));
  EXPECT_THAT(NestedProfiles().with("<coreaffinity>0<", "<coreaffinity>first<").checked(),
              HasSubstr("'first' is not the number of a processor core"));
  EXPECT_THAT(NestedProfiles()
                  .with("<assemblyinstantiationref refid='right'/></assemblycontroller>",
                        "<assemblyinstantiationref refid='sink'/></assemblycontroller>")
                  .checked(),
              HasSubstr("'sink' is a component, and not an assembly; use <componentinstantiationref>"));
  EXPECT_THAT(NestedProfiles().with("name='x.add.xml'", "name='sink.spd.xml'").checked(),
              HasSubstr("an ADD with <deploymentprecedence> was expected"));
  EXPECT_THAT(
      NestedProfiles()
          .with("<componentfileref refid='inner_sad'/>", "<componentfileref refid='sink_spd'/>")
          .checked(),
      HasSubstr(
          "componentfile 'sink_spd' is an SPD, and not an assembly; place it in a <componentplacement>"));
}

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

TEST(NestedAssembly, RejectsEqualIds) {
  NestedProfiles profiles;
  profiles.with("id='sink' processcollocation", "id='left:sink_1' processcollocation")
      .with("refid='sink'/>", "refid='left:sink_1'/>");
  EXPECT_EQ(profiles.checked(),
            "outer.sad.xml:10:57: 'left:sink_1' is also the id of a component of "
            "assembly 'left'; rename this component\n");
  // `a` has a component `b:sink_1`, and so has `a:b` a component `sink_1`.
  NestedProfiles deep;
  deep.write("middle.sad.xml", "<softwareassembly name='middle'><componentfiles>" + file("f", kInner) +
                                   "</componentfiles><partitioning><assemblyplacement><componentfileref "
                                   "refid='f'/><assemblyinstantiation id='b'/></assemblyplacement>"
                                   "</partitioning><assemblycontroller><assemblyinstantiationref refid='b'/>"
                                   "</assemblycontroller></softwareassembly>");
  deep.write(kOuter, "<softwareassembly name='outer'><componentfiles>" + file("f", kInner) +
                         file("m", "middle.sad.xml") +
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

/// The test's assembly with a component factory that creates filter_1.
struct ComponentFactoryProfiles : TestProfiles {
  ComponentFactoryProfiles() {
    write("factory.spd.xml", read("sink.spd.xml"))
        .replace("factory.spd.xml", "sink.scd.xml", "factory.scd.xml");
    write("factory.scd.xml", read("sink.scd.xml"))
        .replace("factory.scd.xml", ">resource<", ">applicationComponentFactory<");
    replace(kInner, "<componentfiles>", "<componentfiles>" + file("factory_spd", "factory.spd.xml"));
    replace(kInner, "<partitioning>",
            "<partitioning><componentplacement><componentfileref refid='factory_spd'/>"
            "<componentinstantiation id='factory'/></componentplacement>");
    add_to("filter_1", "<componentfactoryref refid='factory'/>");
  }
  std::string problem(AssemblyUse use = AssemblyUse::domain) const {
    const auto assembly = load_assembly(path(kInner), {}, use);
    return assembly ? "nothing" : assembly.error().message;
  }
};

TEST(ComponentFactories, AreReadForADomain) {
  ComponentFactoryProfiles profiles;
  const auto assembly = load_assembly(profiles.path(kInner), {}, AssemblyUse::domain);
  ASSERT_TRUE(assembly) << assembly.error().message;
  EXPECT_THAT(ids(assembly->factories), ElementsAre("factory"));
  EXPECT_THAT(ids(assembly->components), ElementsAre("source_1", "filter_1", "sink_1"));
  ASSERT_TRUE(assembly->components[1].factory);
  EXPECT_TRUE(assembly->components[1].factory->is_sca41);
  EXPECT_EQ(assembly->components[1].factory->factory, 0u);
  EXPECT_THAT(profiles.problem(AssemblyUse::run),
              HasSubstr("a component factory of SCA 4.1 (" + profiles.path("factory.scd.xml") +
                        ") is not supported by `orbweaver run` yet"));
}

TEST(ComponentFactories, AreChecked) {
  ComponentFactoryProfiles none;
  none.replace(kInner, "refid='factory'/></componentinstantiation>",
               "refid='sink_1'/></componentinstantiation>");
  EXPECT_THAT(none.problem(), HasSubstr("component 'sink_1' is not a component factory: the type in"));
  ComponentFactoryProfiles port;
  port.replace(kInner, "<componentinstantiationref refid=\"source_1\"/></assemblycontroller>",
               "<componentinstantiationref refid=\"factory\"/></assemblycontroller>");
  EXPECT_THAT(port.problem(), HasSubstr("'factory' is a component factory, which has no ports"));
  ComponentFactoryProfiles process;
  process.replace(kInner, "id=\"filter_1\"", "id=\"filter_1\" processcollocation=\"p\"");
  EXPECT_THAT(process.problem(), HasSubstr("'filter_1' is created in the process of component factory "
                                           "'factory'; leave out processcollocation"));
}

}  // namespace
}  // namespace orbweaver::sca
