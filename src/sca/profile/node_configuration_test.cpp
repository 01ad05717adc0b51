#include "sca/profile/node_configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/testdata/test_profiles.h"

namespace orbweaver::sca {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TestProfiles;

/// The profiles of a node: a device, a part of it, and a service.
struct NodeProfiles {
  NodeProfiles() {
    for (const char* const type : {"executabledevice", "service"}) {
      const std::string name = type;
      profiles.write(name + ".spd.xml", "<softpkg id=\"" + name + "\" name=\"" + name +
                                            "\"><author/><propertyfile><localfile name=\"node.prf.xml\"/>"
                                            "</propertyfile><descriptor><localfile name=\"" +
                                            name +
                                            ".scd.xml\"/></descriptor><implementation id=\"i\"><code "
                                            "type=\"Executable\"><localfile name=\"p\"/></code><os "
                                            "name=\"Linux\"/></implementation></softpkg>");
      profiles.write(name + ".scd.xml",
                     "<softwarecomponent><corbaversion>2.2</corbaversion><componentrepid "
                     "repid=\"IDL:CF/Device:1.0\"/><componenttype>" +
                         name +
                         "</componenttype><componentfeatures><ports/></componentfeatures><interfaces>"
                         "<interface repid=\"IDL:CF/Device:1.0\" name=\"Device\"/></interfaces>"
                         "</softwarecomponent>");
    }
    profiles.write("node.prf.xml",
                   "<properties><simple id=\"memory\" type=\"ulong\"><value>4</value><kind "
                   "kindtype=\"execparam\"/></simple></properties>");
    profiles.write("node.dcd.xml", R"(<deviceconfiguration id="DCE:node" name="left">
<devicemanagersoftpkg><localfile name="executabledevice.spd.xml"/></devicemanagersoftpkg>
<componentfiles>
<componentfile id="device" type="SPD"><localfile name="executabledevice.spd.xml"/></componentfile>
<componentfile id="service" type="SPD"><localfile name="service.spd.xml"/></componentfile>
</componentfiles>
<partitioning>
<componentplacement><componentfileref refid="device"/><componentinstantiation id="d1">
<usagename>Device</usagename><componentproperties><simpleref refid="memory" value="8"/></componentproperties>
<coreaffinity>0</coreaffinity><coreaffinity>2</coreaffinity></componentinstantiation></componentplacement>
<componentplacement><componentfileref refid="device"/><compositepartofdevice refid="d1"/>
<componentinstantiation id="d2"/></componentplacement>
<componentplacement><componentfileref refid="service"/><componentinstantiation id="s1">
<usagename>Log</usagename></componentinstantiation></componentplacement>
</partitioning>
<domainmanager><namingservice name="radio/radio"/></domainmanager>
<filesystemnames><filesystemname mountname="/data" deviceid="d1"/></filesystemnames>
</deviceconfiguration>)");
  }
  Result<NodeConfiguration> load() { return load_node(profiles.path("node.dcd.xml")); }
  std::string problem() {
    const auto node = load();
    return node ? "nothing" : node.error().message;
  }

  TestProfiles profiles;
};

TEST(NodeConfiguration, HasTheDevicesAndServicesOfItsFile) {
  NodeProfiles files;
  const auto node = files.load();
  ASSERT_TRUE(node) << node.error().message;
  EXPECT_EQ(node->id, "DCE:node");
  EXPECT_EQ(node->name, "left");
  EXPECT_EQ(node->domain, "radio/radio");
  ASSERT_EQ(node->components.size(), 3u);
  const NodeComponent& device = node->components[0];
  EXPECT_EQ(device.id, "d1");
  EXPECT_EQ(device.name, "Device");
  EXPECT_TRUE(device.is_device);
  EXPECT_THAT(device.cores, ElementsAre(0, 2));
  ASSERT_EQ(device.settings.size(), 1u);
  EXPECT_EQ(device.settings[0].value, "8");
  EXPECT_EQ(node->package_of(device).name, "executabledevice");
  EXPECT_EQ(node->components[1].name, "d2") << "the id if no name is given";
  EXPECT_EQ(node->components[1].parent, "d1");
  EXPECT_FALSE(node->components[2].is_device);
  ASSERT_EQ(node->file_systems.size(), 1u);
  EXPECT_EQ(node->file_systems[0].device, "d1");
}

TEST(NodeConfiguration, ReportsTheMistakesOfItsProfiles) {
  NodeProfiles files;
  files.profiles.replace("node.dcd.xml", "value=\"8\"", "value=\"-8\"");
  EXPECT_THAT(files.problem(), HasSubstr("node.dcd.xml:9:51: '-8' cannot be the value of 'memory'"));
}

TEST(NodeConfiguration, RejectsADeviceThatIsPartOfItself) {
  NodeProfiles files;
  files.profiles.replace("node.dcd.xml", "compositepartofdevice refid=\"d1\"",
                         "compositepartofdevice refid=\"d2\"");
  EXPECT_THAT(files.problem(), HasSubstr("'d2' is part of itself"));
}

TEST(NodeConfiguration, LimitsDevicesAndServices) {
  NodeProfiles files;
  std::string more;
  for (std::size_t i = 3; i <= kMaxNodeComponents; ++i)
    more += "<componentinstantiation id=\"more_" + std::to_string(i) + "\"/>";
  files.profiles.replace("node.dcd.xml", "<componentinstantiation id=\"d2\"/>",
                         "<componentinstantiation id=\"d2\"/>" + more);
  EXPECT_THAT(files.problem(), HasSubstr("the node has more than 256 devices and services, the limit of one "
                                         "node; distribute them over several DCDs"));
}

TEST(NodeConfiguration, ReadsItsConnections) {
  NodeProfiles files;
  files.profiles.replace("node.dcd.xml", "<domainmanager>",
                         "<connections><connectinterface><usesport><usesidentifier>log</usesidentifier>"
                         "<findby><namingservice name=\"a/b\"/></findby></usesport><findby><domainfinder "
                         "type=\"eventchannel\" name=\"ODM\"/></findby></connectinterface></connections>"
                         "<domainmanager>");
  const auto node = files.load();
  ASSERT_TRUE(node) << node.error().message;
  ASSERT_EQ(node->connections.size(), 1u);
  EXPECT_EQ(node->connections[0].id, "connection 1");
  EXPECT_EQ(node->connections[0].uses.port, "log");
  EXPECT_EQ(node->connections[0].uses.naming, "a/b");
  EXPECT_EQ(node->connections[0].provides.finder, "eventchannel");
  EXPECT_EQ(node->connections[0].provides.found, "ODM");
}

TEST(NodeConfiguration, NeedsTheNameOfItsDomain) {
  NodeProfiles files;
  files.profiles.replace("node.dcd.xml", "radio/radio", "");
  EXPECT_THAT(files.problem(), HasSubstr("name"));
}

TEST(NodeConfiguration, ReadsAffinityAndDeployerrequiresOfRedhawk) {
  NodeProfiles node;
  node.profiles.replace("node.dcd.xml", "<componentinstantiation id=\"d2\"/>",
                        "<componentinstantiation id=\"d2\"><affinity>"
                        "<simpleref refid=\"affinity::exec_directive_class\" value=\"cpu\"/>"
                        "<simpleref refid=\"affinity::exec_directive_value\" value=\"0-1\"/></affinity>"
                        "<deployerrequires><simpleref refid=\"colour\" value=\"red\"/></deployerrequires>"
                        "</componentinstantiation>");
  const auto loaded = node.load();
  ASSERT_TRUE(loaded) << loaded.error().message;
  const NodeComponent* const device = loaded->find("d2");
  ASSERT_NE(device, nullptr);
  EXPECT_THAT(device->cores, ElementsAre(0, 1));
  ASSERT_EQ(device->deployer_requires.size(), 1u);
  EXPECT_EQ(device->deployer_requires[0].id + "=" + device->deployer_requires[0].value, "colour=red");
  EXPECT_THAT(loaded->warnings, ElementsAre(HasSubstr("<filesystemnames> of SCA 2.2.2 has no effect")));
}

}  // namespace
}  // namespace orbweaver::sca
