// Assemblies that are read for a domain (AssemblyUse::domain).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/testdata/test_profiles.h"

namespace orbweaver::sca {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TestProfiles;

Assembly load_for_domain(const TestProfiles& profiles) {
  auto loaded = load_assembly(profiles.path("chain.sad.xml"), {}, AssemblyUse::domain);
  if (!loaded) throw std::runtime_error(loaded.error().message);
  return std::move(*loaded);
}

TEST(SadForDomain, ReadsRequirementsOfImplementations) {
  TestProfiles profiles;
  profiles.write("library.spd.xml", profiles.read("filter.spd.xml"))
      .replace("library.spd.xml", "DCE:filter", "DCE:library")
      .replace("filter.spd.xml", "<localfile name=\"bin/filter\"/>",
               "<localfile name=\"bin/filter\"/><stacksize>65536</stacksize><priority>0x10</priority>")
      .replace(
          "filter.spd.xml", "<os name=\"Linux\"/>",
          "<os name=\"Linux\"/><dependency type=\"memory\"><propertyref refid=\"DCE:mem\" value=\"64\"/>"
          "</dependency><dependency type=\"lib\"><softpkgref><localfile name=\"library.spd.xml\"/>"
          "<implref refid=\"module\"/></softpkgref></dependency>"
          "<usesdevice id=\"tuner\" type=\"radio\"><simpleref refid=\"band\" value=\"7\"/></usesdevice>");
  const Assembly assembly = load_for_domain(profiles);
  const Implementation& implementation = assembly.package_of(1).implementations[0];
  ASSERT_EQ(implementation.requirements.size(), 1u);
  EXPECT_EQ(implementation.requirements[0].id + "=" + implementation.requirements[0].value, "DCE:mem=64");
  ASSERT_EQ(implementation.dependencies.size(), 1u);
  EXPECT_EQ(implementation.dependencies[0].implementation, "module");
  EXPECT_EQ(assembly.dependencies.at(implementation.dependencies[0].file).id, "DCE:library");
  ASSERT_EQ(implementation.devices.size(), 1u);
  EXPECT_EQ(implementation.devices[0].id + " " + implementation.devices[0].requirements[0].id, "tuner band");
  EXPECT_EQ(implementation.stack_size, 65536u);
  EXPECT_EQ(implementation.priority, 16u);
}

TEST(SadForDomain, ReadsRequirementsOfStructsAndSequences) {
  TestProfiles profiles;
  profiles
      .replace("filter.spd.xml", "<os name=\"Linux\"/>",
               "<os name=\"Linux\"/><dependency type=\"tuner\"><structref refid=\"tuner\"><simpleref "
               "refid=\"band\" value=\"7\"/><simplesequenceref refid=\"taps\"><values><value>1</value>"
               "<value>2</value></values></simplesequenceref></structref></dependency>"
               "<usesdevice id=\"d2\" type=\"x\"><simplesequenceref refid=\"cores\"><values><value>3</value>"
               "</values></simplesequenceref></usesdevice>")
      .replace("chain.sad.xml", "</softwareassembly>",
               "<usesdevicedependencies><usesdevice id=\"d1\"><structsequenceref refid=\"tuners\">"
               "<structvalue><simpleref refid=\"band\" value=\"8\"/></structvalue><structvalue><simpleref "
               "refid=\"band\" value=\"9\"/></structvalue></structsequenceref></usesdevice>"
               "</usesdevicedependencies></softwareassembly>");
  const Assembly assembly = load_for_domain(profiles);
  const Implementation& implementation = assembly.package_of(1).implementations.at(0);
  const DeviceRequirement& tuner = implementation.requirements.at(0);
  EXPECT_EQ(tuner.id + "=" + tuner.value, R"(tuner={"band":"7","taps":["1","2"]})");
  EXPECT_EQ(tuner.form, PropertyForm::structure);
  EXPECT_EQ(implementation.devices.at(0).requirements.at(0).value, R"(["3"])");
  EXPECT_EQ(implementation.devices[0].requirements[0].form, PropertyForm::sequence);
  EXPECT_EQ(assembly.devices.at(0).requirements.at(0).value, R"([{"band":"8"},{"band":"9"}])");
  EXPECT_EQ(assembly.devices[0].requirements[0].form, PropertyForm::structure_sequence);
}

TEST(SadForDomain, ReadsTheDevicesOfAHostCollocation) {
  TestProfiles profiles;
  profiles.replace("chain.sad.xml", "</hostcollocation>", "<usesdeviceref refid=\"d1\"/></hostcollocation>")
      .replace("chain.sad.xml", "</softwareassembly>",
               "<usesdevicedependencies><usesdevice id=\"d1\"><propertyref refid=\"band\" value=\"7\"/>"
               "</usesdevice></usesdevicedependencies></softwareassembly>");
  const Assembly assembly = load_for_domain(profiles);
  EXPECT_THAT(assembly.hosts.at(0).devices, ElementsAre("d1"));
  EXPECT_THAT(assembly.warnings, ::testing::IsEmpty());
}

TEST(SadForDomain, ReadsPlacementOfComponents) {
  TestProfiles profiles;
  profiles
      .replace("chain.sad.xml", "<componentinstantiation id=\"filter_1\"/>",
               "<componentinstantiation id=\"filter_1\" startorder=\"2\"><coreaffinity>0</coreaffinity>"
               "<coreaffinity>2</coreaffinity></componentinstantiation>")
      .replace("chain.sad.xml", "</softwareassembly>",
               "<usesdevicedependencies><usesdevice id=\"d1\"><propertyref refid=\"band\" value=\"7\"/>"
               "</usesdevice></usesdevicedependencies></softwareassembly>");
  const Assembly assembly = load_for_domain(profiles);
  ASSERT_EQ(assembly.hosts.size(), 1u);
  EXPECT_EQ(assembly.hosts[0].name, "close");
  EXPECT_THAT(assembly.hosts[0].components, ElementsAre(1, 2));
  EXPECT_EQ(assembly.components[1].start_order, 2u);
  EXPECT_EQ(assembly.components[1].cores, "0,2");
  ASSERT_EQ(assembly.devices.size(), 1u);
  EXPECT_EQ(assembly.devices[0].id, "d1");
}

TEST(SadForDomain, ReadsExternalPortsAndProperties) {
  TestProfiles profiles;
  profiles.replace(
      "chain.sad.xml", "</softwareassembly>",
      "<externalports><port externalname=\"audio\"><providesidentifier>in</providesidentifier>"
      "<componentinstantiationref refid=\"sink_1\"/></port>"
      "<port><supportedidentifier>IDL:CF/Resource:1.0</supportedidentifier>"
      "<componentinstantiationref refid=\"filter_1\"/></port></externalports>"
      "<externalproperties><property comprefid=\"source_1\" propid=\"packets\" externalpropid=\"n\"/>"
      "</externalproperties></softwareassembly>");
  const Assembly assembly = load_for_domain(profiles);
  ASSERT_EQ(assembly.external_ports.size(), 2u);
  EXPECT_EQ(assembly.external_ports[0].name + " " + assembly.external_ports[0].port.port, "audio in");
  EXPECT_EQ(assembly.external_ports[0].port.component, 2u);
  EXPECT_EQ(assembly.external_ports[1].name, "IDL:CF/Resource:1.0");
  EXPECT_EQ(assembly.external_ports[1].port.port, "") << "the component itself";
  ASSERT_EQ(assembly.external_properties.size(), 1u);
  EXPECT_EQ(assembly.external_properties[0].id + " " + assembly.external_properties[0].property, "n packets");
}

/// The error of an assembly that is read for a domain.
std::string problem_in_domain(const TestProfiles& profiles) {
  const auto loaded = load_assembly(profiles.path("chain.sad.xml"), {}, AssemblyUse::domain);
  return loaded ? "nothing" : loaded.error().message;
}

/// `count` elements, each with its number in place of '#'.
std::string repeated(std::size_t count, const std::string& element) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = element.find('#');
    text += number == std::string::npos
                ? element
                : element.substr(0, number) + std::to_string(i) + element.substr(number + 1);
  }
  return text;
}

TEST(SadForDomain, HasALimitOfUsedDevices) {
  const auto with = [](std::size_t devices, std::size_t references) {
    TestProfiles profiles;
    profiles
        .replace("chain.sad.xml", "</hostcollocation>",
                 repeated(references, "<usesdeviceref refid=\"d0\"/>") + "</hostcollocation>")
        .replace(
            "chain.sad.xml", "</softwareassembly>",
            "<usesdevicedependencies>" +
                repeated(devices,
                         "<usesdevice id=\"d#\"><propertyref refid=\"band\" value=\"7\"/></usesdevice>") +
                "</usesdevicedependencies></softwareassembly>");
    return problem_in_domain(profiles);
  };
  const std::string found = "more than 1024 <usesdevice> and <usesdeviceref>; split the assembly";
  EXPECT_EQ(with(kMaxUsedDevices, 0), "nothing");
  EXPECT_EQ(with(1, kMaxUsedDevices - 1), "nothing");
  EXPECT_THAT(with(kMaxUsedDevices + 1, 0), HasSubstr(found));
  EXPECT_THAT(with(1, kMaxUsedDevices), HasSubstr(found));
  EXPECT_THAT(with(1, kMaxUsedDevices + 1), HasSubstr(found));
}

TEST(SadForDomain, HasALimitOfExternalParts) {
  const auto with = [](const std::string& list, std::size_t count, const std::string& element) {
    TestProfiles profiles;
    profiles.replace("chain.sad.xml", "</softwareassembly>",
                     "<" + list + ">" + repeated(count, element) + "</" + list + "></softwareassembly>");
    return problem_in_domain(profiles);
  };
  const std::string port =
      "<port externalname=\"p#\"><providesidentifier>in</providesidentifier>"
      "<componentinstantiationref refid=\"sink_1\"/></port>";
  EXPECT_EQ(with("externalports", kMaxExternalPorts, port), "nothing");
  EXPECT_THAT(with("externalports", kMaxExternalPorts + 1, port),
              HasSubstr("more than 4096 external ports; split the assembly"));
  const std::string property = "<property comprefid=\"source_1\" propid=\"packets\" externalpropid=\"p#\"/>";
  EXPECT_EQ(with("externalproperties", kMaxExternalProperties, property), "nothing");
  EXPECT_THAT(with("externalproperties", kMaxExternalProperties + 1, property),
              HasSubstr("more than 4096 external properties; split the assembly"));
}

/// An end of a connection that `orbweaver run` does not support.
struct OtherEnd {
  const char* name;
  const char* element;
  EndKind kind;
  const char* found;  ///< type, name and index of the component
};

TEST(SadForDomain, ReadsEndsOfEveryKind) {
  const OtherEnd ends[] = {
      OtherEnd{"NamingService", "<findby><namingservice name=\"a/b\"/></findby>", EndKind::name, "/a/b/0"},
      OtherEnd{"Reference", "<findby><stringifiedobjectref>IOR:00</stringifiedobjectref></findby>",
               EndKind::reference, "/IOR:00/0"},
      OtherEnd{"DomainFinder", "<findby><domainfinder type=\"log\" name=\"main\"/></findby>",
               EndKind::domain_finder, "log/main/0"},
      OtherEnd{"LoadingDevice", "<devicethatloadedthiscomponentref refid=\"filter_1\"/>",
               EndKind::loading_device, "//1"},
      OtherEnd{"ComponentDevice", "<deviceusedbythiscomponentref refid=\"filter_1\" usesrefid=\"tuner\"/>",
               EndKind::component_device, "/tuner/1"},
      OtherEnd{"ApplicationDevice", "<deviceusedbyapplication usesrefid=\"d1\"/>",
               EndKind::application_device, "/d1/0"}};
  for (const OtherEnd& each : ends) {
    SCOPED_TRACE(each.name);
    TestProfiles profiles;
    profiles
        .replace(
            "filter.spd.xml", "<os name=\"Linux\"/>",
            "<os name=\"Linux\"/><usesdevice id=\"tuner\" type=\"r\"><propertyref refid=\"b\" value=\"7\"/>"
            "</usesdevice>")
        .replace("chain.sad.xml", "</softwareassembly>",
                 "<usesdevicedependencies><usesdevice id=\"d1\"><propertyref refid=\"band\" value=\"7\"/>"
                 "</usesdevice></usesdevicedependencies></softwareassembly>")
        .replace("chain.sad.xml",
                 "<providesport><providesidentifier>in</providesidentifier><componentinstantiationref "
                 "refid=\"sink_1\"/></providesport>",
                 std::string("<providesport><providesidentifier>in</providesidentifier>") + each.element +
                     "</providesport>");
    const Assembly assembly = load_for_domain(profiles);
    const PortReference& end = assembly.connections[1].provides;
    EXPECT_EQ(end.kind, each.kind);
    EXPECT_EQ(end.port, "in");
    EXPECT_EQ(end.type + "/" + end.name + "/" + std::to_string(end.component), each.found);
    EXPECT_THAT(load_assembly(profiles.path("chain.sad.xml")).error().message,
                HasSubstr("is not supported by `orbweaver run` yet"));
  }
}

TEST(SadForDomain, ReadsWhatComponentsRequireOfTheirDevices) {
  TestProfiles profiles;
  profiles
      .replace("chain.sad.xml", "<componentinstantiation id=\"filter_1\"/>",
               "<componentinstantiation id=\"filter_1\"><affinity>"
               "<simpleref refid=\"affinity::exec_directive_class\" value=\"cpu\"/>"
               "<simpleref refid=\"affinity::exec_directive_value\" value=\"4,0-2\"/></affinity>"
               "<devicerequires><requires id=\"colour\" value=\"red\"/><simpleref refid=\"rank\" "
               "value=\"15\"/></devicerequires>"
               "<deploymentdependencies><propertyref refid=\"band\" value=\"9\"/></deploymentdependencies>"
               "</componentinstantiation>")
      .replace("chain.sad.xml", "<assemblycontroller>",
               "<deploymentdependencies><propertyref refid=\"band\" value=\"7\"/>"
               "<propertyref refid=\"level\" value=\"2\"/></deploymentdependencies><assemblycontroller>");
  const Assembly assembly = load_for_domain(profiles);
  const auto text = [](const std::vector<DeviceRequirement>& list) {
    std::string all;
    for (const DeviceRequirement& each : list) all += each.id + "=" + each.value + " ";
    return all;
  };
  EXPECT_EQ(assembly.components[1].cores, "0,1,2,4");
  EXPECT_EQ(text(assembly.components[1].device_requires), "colour=red rank=15 ");
  EXPECT_EQ(text(assembly.components[1].dependencies), "band=9 level=2 ")
      << "its own value, then those of all";
  EXPECT_EQ(text(assembly.components[0].dependencies), "band=7 level=2 ");
  EXPECT_EQ(text(assembly.components[0].device_requires), "");
  EXPECT_THAT(assembly.warnings, ::testing::IsEmpty());
}

TEST(SadForDomain, RejectsAnAffinityThatIsNoListOfProcessors) {
  const auto problem = [](const std::string& value) {
    TestProfiles profiles;
    profiles.replace("chain.sad.xml", "<componentinstantiation id=\"filter_1\"/>",
                     "<componentinstantiation id=\"filter_1\"><affinity>"
                     "<simpleref refid=\"affinity::exec_directive_class\" value=\"cpu\"/>"
                     "<simpleref refid=\"affinity::exec_directive_value\" value=\"" +
                         value + "\"/></affinity></componentinstantiation>");
    return problem_in_domain(profiles);
  };
  for (const char* const value : {"", "first", "2-1", "1,,2", "0-999999", "-1"})
    EXPECT_THAT(problem(value), ::testing::HasSubstr("is no list of processors")) << value;
}

TEST(SadForDomain, LimitsDeploymentDependencies) {
  TestProfiles profiles;
  profiles.replace("chain.sad.xml", "<assemblycontroller>",
                   "<deploymentdependencies>" + repeated(65, "<propertyref refid=\"p#\" value=\"1\"/>") +
                       "</deploymentdependencies><assemblycontroller>");
  EXPECT_THAT(problem_in_domain(profiles), ::testing::HasSubstr("more than 64 entries"));
}

}  // namespace
}  // namespace orbweaver::sca
