#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>

#include "platform/process.h"
#include "platform/testing/becomes_true.h"
#include "sca/node/node_server.h"
#include "sca/node/testing/fake_domain.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;
using platform::testing::becomes_true;
using testing::FakeDomain;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TemporaryFolder;

/// An `orbweaver node`. A mark in the environment identifies its processes.
class NodeProcess {
 public:
  explicit NodeProcess(FakeDomain& domain, std::vector<std::string> arguments = {"--name", "left"}) {
    static int count = 0;
    mark_ = "ORBWEAVER_NODE_TEST=" + std::to_string(getpid()) + "." + std::to_string(++count);
    arguments.insert(arguments.begin(), "node");
    arguments.insert(arguments.end(), {"--naming", domain.naming()});
    EXPECT_EQ(
        child_.spawn({ORBWEAVER_COMMAND, arguments, {mark_, "XDG_CACHE_HOME=" + cache_.path().string()}}), 0);
  }
  ~NodeProcess() {
    child_.kill();
    child_.reap();
    EXPECT_TRUE(nothing_runs());
  }

  /// Waits until the node has printed `text`, or has ended.
  void until(const std::string& text) {
    read_while([&] { return output.find(text) == std::string::npos; });
    EXPECT_THAT(output, HasSubstr(text));
  }
  void until_its_end() {
    read_while([] { return true; });
  }
  void signal(int number) { child_.signal(number); }
  std::string end() { return platform::describe(child_.reap()); }
  /// Waits until this number of its processes runs. A process has no environment while it is being started.
  bool runs(std::size_t count) const {
    return becomes_true([&] { return processes() == count; });
  }
  bool nothing_runs() const { return runs(0); }
  std::size_t processes() const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::ifstream environment(entry.path() / "environ", std::ios::binary);
      const std::string text((std::istreambuf_iterator<char>(environment)), {});
      if (text.find(mark_) != std::string::npos) ++count;
    }
    return count;
  }

  std::string output;

 private:
  /// Reads while the condition holds, at most to the end of the output.
  void read_while(const std::function<bool()>& condition) {
    for (bool at_end = false; !at_end && condition();) {
      platform::Poller poller;
      poller.add(child_.output());
      ASSERT_TRUE(poller.wait(120'000)) << output;
      output += platform::read_available(child_.output(), at_end);
    }
  }

  std::string mark_;
  TemporaryFolder cache_;
  platform::ChildProcess child_;
};

/// Waits until a node with one device has registered.
bool joins(FakeDomain& domain) {
  return becomes_true([&] { return domain.manager->devices().size() == 1; });
}

TEST(Node, RegistersItsDeviceWithTheDomain) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  node.until("all its devices and services are registered with the domain");
  ASSERT_EQ(domain.manager->devices().size(), 1u);
  const auto manager = domain.manager->managers().at(0);
  EXPECT_EQ(manager->label(), "left");
  EXPECT_EQ(manager->identifier(), "DCE:orbweaver.node:left");
  EXPECT_EQ(manager->deviceConfigurationProfile(), "/node.dcd.xml");
  EXPECT_EQ(manager->registeredDevices().size(), 1u);
  EXPECT_EQ(manager->getComponentImplementationId("executable_device:left"), "process");
  const auto device = domain.device();
  EXPECT_EQ(device->identifier(), "executable_device:left");
  EXPECT_EQ(device->label(), "executable_device");
  EXPECT_TRUE(manager->fileSys()->exists(device->softwareProfile()));
}

TEST(Node, ExecutesPrograms) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  ASSERT_TRUE(joins(domain));
  EXPECT_TRUE(domain.device()->allocateCapacity({{"memory_mb", any_of("ulong", "1")}}));
  const std::int32_t process = domain.execute("echo it runs; exec sleep 1000");
  node.until("it runs");
  EXPECT_TRUE(node.runs(3)) << "node, device and program";
  domain.device()->terminate(process);
  EXPECT_TRUE(node.runs(2));
  EXPECT_TRUE(domain.ended().empty());
}

TEST(Node, ReportsAProcessThatHasEnded) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  ASSERT_TRUE(joins(domain));
  const std::int32_t process = domain.execute("exit 3");
  ASSERT_TRUE(becomes_true([&] { return domain.ended().size() == 1; }));
  const auto ended = domain.ended().at(0);
  EXPECT_EQ(ended.device_id(), "executable_device:left");
  EXPECT_EQ(ended.process_id(), process);
  EXPECT_EQ(ended.description(), "exited with status 3");
}

TEST(Node, ExecutesSharedLibrariesOfACollocationInOneProcess) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  ASSERT_TRUE(joins(domain));
  fs::copy(ORBWEAVER_TEST_MODULE, domain.folder.path("filter.so"));
  const auto device = domain.device();
  device->load(domain.files, "/filter.so", CF::LoadableDevice::LoadType::SHARED_LIBRARY);
  const auto execute = [&](const std::string& name, const std::string& collocation) {
    return device->execute("/filter.so", {{"PROCESS_COLLOCATION_ID", any_of("string", collocation)}},
                           {{"NAMING_CONTEXT_IOR", any_of("string", domain.naming())},
                            {"NAME_BINDING", any_of("string", name)},
                            {"COMPONENT_IDENTIFIER", any_of("string", name)}});
  };
  const auto identifier = [&](const std::string& name) -> std::string {
    try {
      return IDL::traits<CF::Resource>::narrow(domain.resolve(name))->identifier();
    } catch (const CORBA::Exception&) {
      return {};
    }
  };
  const std::int32_t process = execute("first", "together");
  EXPECT_EQ(execute("second", "together"), process);
  EXPECT_NE(execute("third", "alone"), process);
  for (const char* const name : {"first", "second", "third"})
    EXPECT_TRUE(becomes_true([&] { return identifier(name) == name; })) << name;
  device->terminate(process);
  EXPECT_EQ(identifier("second"), "second") << "the process ends with its last component";
  device->terminate(process);
  EXPECT_EQ(identifier("first"), "");
  EXPECT_EQ(identifier("third"), "third");
}

TEST(Node, UnregistersAndEndsItsProcesses) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  ASSERT_TRUE(joins(domain));
  domain.execute("exec sleep 1000");
  node.signal(SIGTERM);
  EXPECT_EQ(node.end(), "exited with status 0");
  EXPECT_TRUE(domain.manager->managers().empty());
  EXPECT_TRUE(node.nothing_runs());
}

TEST(Node, EndsWhenItIsShutDown) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  ASSERT_TRUE(joins(domain));
  domain.manager->managers().at(0)->shutdown();
  EXPECT_EQ(node.end(), "exited with status 0");
}

TEST(Node, LeavesNoProcessWhenItIsKilled) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  ASSERT_TRUE(joins(domain));
  domain.execute("exec sleep 1000");
  EXPECT_TRUE(node.runs(3));
  node.signal(SIGKILL);
  EXPECT_EQ(node.end(), "killed by SIGKILL");
  EXPECT_TRUE(node.nothing_runs());
}

TEST(Node, ReportsADeviceThatTheDomainRejects) {
  FakeDomain domain;
  domain.begin();
  domain.manager->reject_devices("no room");
  NodeProcess node(domain);
  node.until("the domain manager rejects device 'executable_device:left': no room");
  node.signal(SIGTERM);
  node.until_its_end();
  EXPECT_THAT(node.output, Not(HasSubstr("are registered")));
}

TEST(Node, RegistersADeviceAgainAfterATimeout) {
  FakeDomain domain;
  domain.begin();
  domain.manager->time_out(2);
  NodeProcess node(domain);
  node.until("all its devices and services are registered with the domain");
  EXPECT_EQ(domain.manager->devices().size(), 1u);
}

TEST(Node, WaitsForItsDomain) {
  FakeDomain domain;
  NodeProcess node(domain);
  node.until("waits for its domain manager: 'orbweaver/orbweaver' is not bound");
  domain.begin();
  EXPECT_TRUE(joins(domain));
}

TEST(Node, JoinsANewDomainManager) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  ASSERT_TRUE(joins(domain));
  const std::int32_t process = domain.execute("exec sleep 1000");
  domain.end();
  node.until("the domain manager has ended");
  domain.begin();
  ASSERT_TRUE(joins(domain));
  EXPECT_EQ(domain.manager->managers().size(), 1u);
  EXPECT_EQ(kill(process, 0), 0) << "components go on";
}

TEST(Node, JoinsAgainWhenTheDomainDoesNotKnowIt) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  ASSERT_TRUE(joins(domain));
  const auto manager = domain.manager->managers().at(0);
  domain.manager->unregisterDevice(domain.manager->devices().at(0));
  domain.manager->unregisterDeviceManager(manager);
  EXPECT_TRUE(joins(domain));
}

TEST(Node, GoesOnWithoutADeviceThatDies) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  ASSERT_TRUE(joins(domain));
  const std::string now = domain.folder.path("now").string();
  const std::int32_t process =
      domain.execute("while [ ! -e " + now + " ]; do sleep 0.01; done; kill -9 $PPID; exec sleep 1000");
  domain.folder.write("now", "");  // after the device has replied
  node.until("killed by SIGKILL: the node goes on without it");
  EXPECT_TRUE(becomes_true([&] { return domain.manager->devices().empty(); }));
  EXPECT_EQ(domain.manager->managers().size(), 1u);
  EXPECT_TRUE(becomes_true([&] { return kill(process, 0) != 0; })) << "a component ends with its device";
}

/// The installed profiles, which a test may change.
struct NodeProfiles {
  NodeProfiles() {
    for (const auto& file : fs::directory_iterator(ORBWEAVER_NODE_PROFILES))
      fs::copy(file.path(), folder.path(file.path().filename()));
  }
  void replace(const std::string& file, const std::string& before, const std::string& after) {
    std::string text = folder.content(file);
    const auto at = text.find(before);
    ASSERT_NE(at, std::string::npos) << before;
    folder.write(file, text.replace(at, before.size(), after));
  }
  TemporaryFolder folder;
};

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
  const auto parts = devices.at("executable_device")->compositeDevice();
  ASSERT_TRUE(becomes_true([&] { return parts->devices().size() == 1; }));
  EXPECT_TRUE(parts->devices()[0]->_is_equivalent(devices.at("part")));
  devices.at("executable_device")->adminState(CF::Device::AdminType::LOCKED);
  EXPECT_EQ(devices.at("part")->adminState(), CF::Device::AdminType::LOCKED);
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

TEST(NodeServer, RemovesThePortsOfEndpoints) {
  EXPECT_EQ(without_ports("shm,unix,tcp:0.0.0.0:4711,tcp:[::1]:4711,tcp"),
            "shm,unix,tcp:0.0.0.0:0,tcp:[::1]:0,tcp");
}

}  // namespace
}  // namespace orbweaver::sca
