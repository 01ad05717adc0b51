// `orbweaver node` starts the devices and services of its DCD.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "platform/testing/real_time.h"
#include "sca/node/testing/node_process.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;
using platform::testing::becomes_true;
using testing::FakeDomain;
using ::testing::HasSubstr;
using testing::joins;
using testing::NodeProcess;
using testing::NodeProfiles;

TEST(Node, AppliesTheSettingsOfItsConfiguration) {
  FakeDomain domain;
  domain.begin();
  NodeProfiles profiles;
  profiles.replace("node.dcd.xml", "</usagename>",
                   "</usagename><componentproperties><simpleref refid=\"processors\" value=\"0.5\"/>"
                   "<simpleref refid=\"cache_limit_mb\" value=\"7\"/></componentproperties>");
  NodeProcess node(domain, {profiles.folder.path("node.dcd.xml").string()});
  ASSERT_TRUE(joins(domain));
  CF::Properties properties{{"processors", {}}, {"cache_limit_mb", {}}};
  domain.device()->query(properties);
  EXPECT_EQ(text_of(properties[0].value()), "0.5");
  EXPECT_EQ(text_of(properties[1].value()), "7");
}

TEST(Node, MakesADeviceAPartOfAnother) {
  FakeDomain domain;
  domain.begin();
  NodeProfiles profiles;
  profiles.replace("node.dcd.xml", "</componentplacement>",
                   "</componentplacement><componentplacement><componentfileref refid=\"device_spd\"/>"
                   "<compositepartofdevice refid=\"executable_device\"/><componentinstantiation id=\"part\"/>"
                   "</componentplacement>");
  NodeProcess node(domain, {profiles.folder.path("node.dcd.xml").string()});
  ASSERT_TRUE(becomes_true([&] { return domain.manager->devices().size() == 2; }));
  std::map<std::string, IDL::traits<CF::Device>::ref_type> devices;
  for (const auto& device : domain.manager->devices()) devices[device->identifier()] = device;
  EXPECT_FALSE(devices.at("part")->compositeDevice()) << "it has no parts";
  const auto parts = devices.at("executable_device")->compositeDevice();
  ASSERT_TRUE(parts);
  ASSERT_TRUE(becomes_true([&] { return parts->devices().size() == 1; }));
  EXPECT_TRUE(parts->devices()[0]->_is_equivalent(devices.at("part")));
  EXPECT_THROW(parts->addDevice(nullptr), CF::InvalidObjectReference);
  EXPECT_TRUE(domain.has_alarm("device 'executable_device': addDevice has failed: the device is nil"));
  using Admin = CF::Device::AdminType;
  const CF::Properties capacity{{"memory_mb", any_of("ulong", "1")}};
  ASSERT_TRUE(devices.at("part")->allocateCapacity(capacity));
  devices.at("executable_device")->adminState(Admin::LOCKED);
  EXPECT_EQ(devices.at("executable_device")->adminState(), Admin::SHUTTING_DOWN) << "its part is in use";
  devices.at("part")->deallocateCapacity(capacity);
  EXPECT_EQ(devices.at("part")->adminState(), Admin::LOCKED);
  EXPECT_TRUE(becomes_true([&] { return devices.at("executable_device")->adminState() == Admin::LOCKED; }));
  devices.at("executable_device")->releaseObject();
  EXPECT_TRUE(becomes_true([&] { return domain.manager->devices().empty(); }));
  EXPECT_TRUE(node.runs(1)) << "the parts end with their device";
}

TEST(Node, RejectsAnInvalidConfiguration) {
  FakeDomain domain;
  NodeProfiles profiles;
  profiles.replace("node.dcd.xml", "refid=\"device_spd\"", "refid=\"devices_pd\"");
  NodeProcess node(domain, {profiles.folder.path("node.dcd.xml").string()});
  node.until("there is no componentfile 'devices_pd'");
  EXPECT_EQ(node.end(), "exited with status 2");
}

TEST(Node, NamesAMissingProgram) {
  FakeDomain domain;
  NodeProfiles profiles;
  profiles.replace("orbweaver-device.spd.xml", "localfile name=\"orbweaver-device\"",
                   "localfile name=\"missing\"");
  NodeProcess node(domain, {profiles.folder.path("node.dcd.xml").string()});
  node.until("the code of implementation 'process' is missing");
  EXPECT_EQ(node.end(), "exited with status 2");
}

TEST(Node, StartsADeviceWithTheStackSizeOfItsImplementation) {
  FakeDomain domain;
  NodeProfiles profiles;
  profiles.folder.write("stack", "#!/bin/sh\necho soft limit $(ulimit -S -s)\n");
  fs::permissions(profiles.folder.path("stack"), fs::perms::owner_all);
  const std::string code = "<localfile name=\"orbweaver-device\"/>";
  profiles.replace("orbweaver-device.spd.xml", code,
                   "<localfile name=\"stack\"/><stacksize>131072</stacksize>");
  {
    NodeProcess node(domain, {profiles.folder.path("node.dcd.xml").string()});
    node.until("soft limit 128");
  }
  profiles.replace("orbweaver-device.spd.xml", "131072", "1");
  NodeProcess node(domain, {profiles.folder.path("node.dcd.xml").string()});
  node.until("the <stacksize> of implementation 'process', 1, is not from 65536");
  EXPECT_EQ(node.end(), "exited with status 2");
}

TEST(Node, DoesNotStartADeviceWithAPriorityThatIsNotPermitted) {
  FakeDomain domain;
  NodeProfiles profiles;
  profiles.replace("orbweaver-device.spd.xml", "<localfile name=\"orbweaver-device\"/>",
                   "<localfile name=\"orbweaver-device\"/><priority>100</priority>");
  NodeProcess node(domain, {profiles.folder.path("node.dcd.xml").string()});
  node.until("the <priority> of implementation 'process', 100, is above the real-time priority");
  EXPECT_EQ(node.end(), "exited with status 2");
}

TEST(Node, SaysThatTheDomainIgnoresANodeOfTheIdentifierOfAnother) {
  FakeDomain domain;
  domain.begin();
  domain.manager->ignores_nodes = true;
  NodeProcess node(domain);
  node.until("it ignores the node, because another one of its identifier is registered and runs");
  domain.manager->ignores_nodes = false;
  EXPECT_TRUE(joins(domain));
}

TEST(Node, StartsADeviceWithThePriorityOfItsImplementation) {
  if (!platform::testing::may_set_real_time_priority())
    GTEST_SKIP() << "this process may not set a real-time priority";
  FakeDomain domain;
  NodeProfiles profiles;
  // "policy" is the 41st field of stat; the program waits for its end.
  profiles.folder.write("policy", "#!/bin/sh\nset -- $(cat /proc/$$/stat)\nshift 40\necho policy $1\n");
  fs::permissions(profiles.folder.path("policy"), fs::perms::owner_all);
  profiles.replace("orbweaver-device.spd.xml", "<localfile name=\"orbweaver-device\"/>",
                   "<localfile name=\"policy\"/><priority>1</priority>");
  NodeProcess node(domain, {profiles.folder.path("node.dcd.xml").string()});
  node.until("policy 1");
}

TEST(Node, StartsServicesWithTheirExecParams) {
  FakeDomain domain;
  NodeProfiles profiles;
  profiles.folder.write("clock",
                        "#!/bin/sh\nwhile [ $# -gt 1 ]; do\n  case $1 in [A-Za-z]*) echo $1: ${2%%:*} ;; "
                        "esac\n  shift 2\ndone\necho end\n");
  fs::permissions(profiles.folder.path("clock"), fs::perms::owner_all);
  profiles.folder.write(
      "clock.spd.xml",
      "<softpkg id=\"DCE:clock\" name=\"clock\"><author/><propertyfile type=\"PRF\"><localfile "
      "name=\"clock.prf.xml\"/></propertyfile><descriptor><localfile name=\"clock.scd.xml\"/></descriptor>"
      "<implementation id=\"i\"><code type=\"Executable\"><localfile name=\"clock\"/></code><os "
      "name=\"Linux\"/></implementation></softpkg>");
  profiles.folder.write("clock.prf.xml",
                        "<properties><simple id=\"rate\" type=\"ulong\"><value>8000</value><kind "
                        "kindtype=\"execparam\"/></simple><simple id=\"site\" type=\"string\"><value>hut"
                        "</value><kind kindtype=\"execparam\"/></simple></properties>");
  profiles.folder.write(
      "clock.scd.xml",
      "<softwarecomponent><corbaversion>2.2</corbaversion><componentrepid repid=\"IDL:CF/Device:1.0\"/>"
      "<componenttype>service</componenttype><componentfeatures><ports/></componentfeatures><interfaces>"
      "<interface repid=\"IDL:CF/Device:1.0\" name=\"Device\"/></interfaces></softwarecomponent>");
  profiles.replace("node.dcd.xml", "</componentfiles>",
                   "<componentfile id=\"clock_spd\" type=\"SPD\"><localfile name=\"clock.spd.xml\"/>"
                   "</componentfile></componentfiles>");
  profiles.replace("node.dcd.xml", "</componentplacement>",
                   "</componentplacement><componentplacement><componentfileref refid=\"clock_spd\"/>"
                   "<componentinstantiation id=\"clock_1\"><usagename>clock</usagename><componentproperties>"
                   "<simpleref refid=\"site\" value=\"mast\"/></componentproperties>"
                   "</componentinstantiation></componentplacement>");
  NodeProcess node(domain, {profiles.folder.path("node.dcd.xml").string()});
  node.until("clock: end");
  for (const char* const param : {"DEVICE_MGR_IOR: IOR", "SERVICE_NAME: clock", "rate: 8000", "site: mast"})
    EXPECT_THAT(node.output, HasSubstr(std::string("clock: ") + param + "\n"));
  EXPECT_THAT(node.output, ::testing::Not(HasSubstr("DEVICE_ID: clock")));
}

}  // namespace
}  // namespace orbweaver::sca
