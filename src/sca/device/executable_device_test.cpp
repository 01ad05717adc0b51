#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>

#include <cerrno>
#include <fstream>
#include <set>

#include "platform/testing/real_time.h"
#include "sca/device/testing/served_device.h"
#include "sca/profile/node_configuration.h"

namespace orbweaver::sca {
namespace {

using CF::ExecutableDevice;
using platform::testing::becomes_true;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::property;
using testing::ServedDevice;
using LoadType = CF::LoadableDevice::LoadType;
using Admin = CF::Device::AdminType;
using Usage = CF::Device::UsageType;

std::vector<std::string> ids(const CF::Properties& properties) {
  std::vector<std::string> all;
  for (const auto& each : properties) all.push_back(each.id());
  return all;
}

TEST(ExecutableDevice, AllocatesAllCapacitiesOrNone) {
  ServedDevice served;
  EXPECT_TRUE(served.device->allocateCapacity(
      {property("processors", "double", "1.5"), property("memory_mb", "ulong", "512")}));
  EXPECT_FALSE(served.device->allocateCapacity(
      {property("processors", "double", "0.5"), property("memory_mb", "ulong", "1")}));
  EXPECT_TRUE(served.device->allocateCapacity({property("processors", "double", "0.5")}));
  EXPECT_EQ(served.device->usageState(), Usage::BUSY);
  CF::Properties left{{"memory_mb", {}}};
  served.device->query(left);
  EXPECT_EQ(text_of(left[0].value()), "0");
  served.device->deallocateCapacity(
      {property("processors", "double", "2"), property("memory_mb", "ulong", "512")});
  EXPECT_EQ(served.device->usageState(), Usage::IDLE);
}

TEST(ExecutableDevice, NamesTheCapacitiesThatItDoesNotHave) {
  ServedDevice served;
  try {
    served.device->allocateCapacity(
        {property("colour", "string", "red"), property("processors", "double", "1"),
         property("memory_mb", "string", "1"), property("processors", "double", "-1")});
    ADD_FAILURE() << "InvalidCapacity was expected";
  } catch (const CF::Device::InvalidCapacity& e) {
    EXPECT_THAT(ids(e.capacities()), ElementsAre("colour", "memory_mb", "processors"));
    EXPECT_THAT(e.msg(), HasSubstr("no capacity 'colour'"));
  }
  EXPECT_EQ(served.device->usageState(), Usage::IDLE);
  EXPECT_THROW(served.device->deallocateCapacity({property("memory_mb", "ulong", "1")}),
               CF::Device::InvalidCapacity);
}

TEST(ExecutableDevice, ExecutesAProgramWithItsParametersInOrder) {
  ServedDevice served;
  served.load("program", "echo \"$@\"");
  EXPECT_GT(served.execute("program", {}, {property("b", "string", "2"), property("a", "string", "x y")}), 0);
  EXPECT_TRUE(served.prints("b 2 a x y"));
  EXPECT_TRUE(served.reports("exited with status 0"));
}

TEST(ExecutableDevice, RejectsParametersThatAreNoStrings) {
  ServedDevice served;
  served.load("program", "true");
  try {
    served.execute("program", {},
                   {property("a", "string", "x"),
                    property("b", "ulong", "2"),
                    property("", "string", "x"),
                    {"c", CORBA::Any()}});
    ADD_FAILURE() << "InvalidParameters was expected";
  } catch (const ExecutableDevice::InvalidParameters& e) {
    EXPECT_THAT(ids(e.invalidParms()), ElementsAre("b", "", "c"));
  }
}

TEST(ExecutableDevice, TerminatesAProcessWithItsOwnChildren) {
  ServedDevice served;
  served.load("program", "sleep 1000 & echo child $!; wait");
  const std::int32_t process = served.execute("program");
  EXPECT_TRUE(becomes_true([&] {
    const std::lock_guard lock(served.mutex);
    return !served.lines.empty();
  }));
  const int child = std::stoi(served.lines[0].substr(6));
  served.device->terminate(process);
  EXPECT_EQ(kill(process, 0), -1);
  // Its parent has ended: another process reaps it, some time later.
  EXPECT_TRUE(becomes_true([&] {
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    std::string text((std::istreambuf_iterator<char>(stat)), {});
    return text.empty() || text.find(") Z") != std::string::npos;
  }));
  EXPECT_TRUE(served.ended.empty()) << "an end that was asked for is not reported";
  EXPECT_THROW(served.device->terminate(process), ExecutableDevice::InvalidProcess);
}

TEST(ExecutableDevice, ReportsAProcessThatEndsByItself) {
  ServedDevice served;
  served.load("program", "kill -SEGV $$");
  served.execute("program");
  EXPECT_TRUE(served.reports("killed by SIGSEGV"));
}

TEST(ExecutableDevice, ExecutesOnlyLoadedFiles) {
  ServedDevice served;
  served.source.write("program", "#!/bin/sh\n");
  EXPECT_THROW(served.execute("program"), CF::InvalidFileName);
  served.load("program", "true");
  served.device->unload("/program");
  EXPECT_THROW(served.execute("program"), CF::InvalidFileName);
  EXPECT_THROW(served.device->load(served.files, "/program", LoadType::DRIVER),
               CF::LoadableDevice::InvalidLoadKind);
}

TEST(ExecutableDevice, SaysWhyAProgramCannotBeExecuted) {
  ServedDevice served;
  served.source.write("text", "not a program");
  served.device->load(served.files, "/text", LoadType::EXECUTABLE);
  try {
    served.execute("text");
    ADD_FAILURE() << "ExecuteFail was expected";
  } catch (const ExecutableDevice::ExecuteFail& e) {
    EXPECT_EQ(e.errorNumber(), CF::ErrorNumberType::CF_ENOEXEC);
    EXPECT_THAT(e.msg(), HasSubstr("Exec format error"));
  }
}

TEST(ExecutableDevice, AppliesTheCoreAffinity) {
  ServedDevice served;
  cpu_set_t own;
  ASSERT_EQ(sched_getaffinity(0, sizeof own, &own), 0);
  std::size_t core = 0;
  while (!CPU_ISSET(core, &own)) ++core;
  served.load("program", "grep Cpus_allowed_list /proc/self/status | cut -f2");
  served.execute("program", {property("CORE_AFFINITY", "string", std::to_string(core))});
  EXPECT_TRUE(served.prints(std::to_string(core)));
}

TEST(ExecutableDevice, AppliesTheStackSize) {
  ServedDevice served;
  served.load("program", "ulimit -s");
  served.execute("program", {property("STACK_SIZE", "ulong", "1048576")});
  EXPECT_TRUE(served.prints("1024"));
}

TEST(ExecutableDevice, AppliesThePriority) {
  if (!platform::testing::may_set_real_time_priority())
    GTEST_SKIP() << "this process may not set a real-time priority";
  ServedDevice served;
  served.load("program", "exec sleep 1000");
  const std::int32_t process = served.execute("program", {property("PRIORITY", "ulong", "1")});
  sched_param parameters{};
  EXPECT_EQ(sched_getscheduler(process), SCHED_FIFO);
  ASSERT_EQ(sched_getparam(process, &parameters), 0);
  EXPECT_EQ(parameters.sched_priority, 1);
}

TEST(ExecutableDevice, NamesInvalidOptions) {
  ServedDevice served;
  served.load("program", "true");
  try {
    served.execute("program",
                   {property("COLOUR", "string", "red"), property("STACK_SIZE", "ulong", "1048576"),
                    property("CORE_AFFINITY", "string", "70000"), property("PRIORITY", "ulong", "100")});
    ADD_FAILURE() << "InvalidOptions was expected";
  } catch (const ExecutableDevice::InvalidOptions& e) {
    EXPECT_THAT(ids(e.invalidOpts()), ElementsAre("COLOUR", "CORE_AFFINITY", "PRIORITY"));
  }
  EXPECT_THROW(served.execute("program", {property("ENTRY_POINT", "string", "f")}),
               ExecutableDevice::InvalidFunction);
}

TEST(ExecutableDevice, RejectsUseWhileItIsShuttingDown) {
  ServedDevice served;
  served.load("program", "sleep 1000");
  const std::int32_t process = served.execute("program");
  served.device->adminState(Admin::LOCKED);
  EXPECT_EQ(served.device->adminState(), Admin::SHUTTING_DOWN);
  EXPECT_THROW(served.execute("program"), CF::Device::InvalidState);
  EXPECT_THROW(served.device->load(served.files, "/program", LoadType::EXECUTABLE), CF::Device::InvalidState);
  EXPECT_THROW(served.device->allocateCapacity({}), CF::Device::InvalidState);
  served.device->terminate(process);
  EXPECT_EQ(served.device->adminState(), Admin::SHUTTING_DOWN) << "a file is loaded";
  served.device->unload("/program");
  EXPECT_EQ(served.device->adminState(), Admin::LOCKED);
}

TEST(ExecutableDevice, GivesNothingBackWhileItIsLocked) {
  ServedDevice served;
  served.device->adminState(Admin::LOCKED);
  ASSERT_EQ(served.device->adminState(), Admin::LOCKED);
  EXPECT_THROW(served.device->deallocateCapacity({property("memory_mb", "ulong", "1")}),
               CF::Device::InvalidState);
  EXPECT_THROW(served.device->unload("/program"), CF::Device::InvalidState);
  EXPECT_THROW(served.device->terminate(1), CF::Device::InvalidState);
  served.device->adminState(Admin::UNLOCKED);
  EXPECT_THROW(served.device->unload("/program"), CF::InvalidFileName);
  EXPECT_THROW(served.device->terminate(1), ExecutableDevice::InvalidProcess);
}

TEST(ExecutableDevice, EndsItsProcessesWhenItIsReleased) {
  ServedDevice served;
  served.load("program", "sleep 1000");
  const std::int32_t process = served.execute("program");
  served.device->releaseObject();
  EXPECT_TRUE(served.released);
  EXPECT_EQ(kill(process, 0), -1);
  EXPECT_EQ(served.device->adminState(), Admin::LOCKED);
}

TEST(ExecutableDevice, ReturnsACapacityWithAnIdentifierOnce) {
  ServedDevice served;
  const CF::Properties allocation{property("processors", "double", "0.5"),
                                  property(kAllocationId, "string", "app_1/1")};
  ASSERT_TRUE(served.device->allocateCapacity({property("processors", "double", "0.5")}));
  ASSERT_TRUE(served.device->allocateCapacity(allocation));
  served.device->deallocateCapacity(allocation);
  served.device->deallocateCapacity(allocation);
  CF::Properties left{{"processors", {}}};
  served.device->query(left);
  EXPECT_EQ(text_of(left[0].value()), "1.5") << "0.5 are those of another application";
  for (const CF::DataType& invalid :
       {property(kAllocationId, "string", ""), property(kAllocationId, "long", "1"),
        property(kAllocationId, "string", std::string(257, 'x'))}) {
    EXPECT_THROW(served.device->allocateCapacity({invalid}), CF::Device::InvalidCapacity);
  }
}

TEST(ExecutableDevice, TellsAllProcessesOfAComponentIdentifier) {
  ServedDevice served;
  served.load("program", "exec sleep 1000");
  std::set<std::int32_t> executed;
  for (int i = 0; i < 2; ++i)
    executed.insert(served.execute("program", {}, {property("COMPONENT_IDENTIFIER", "string", "a:rx")}));
  std::string expected;
  for (const std::int32_t process : executed) expected += std::to_string(process) + " a:rx\n";
  CF::Properties processes{{"processes", {}}};
  served.device->query(processes);
  EXPECT_EQ(text_of(processes[0].value()), expected) << "of two applications of the name";
}

TEST(ExecutableDevice, HasThePropertiesOfItsProfile) {
  ServedDevice served;
  CF::Properties all;
  served.device->query(all);
  const auto node = load_node(ORBWEAVER_NODE_PROFILES "/node.dcd.xml");
  ASSERT_TRUE(node) << node.error().message;
  const PropertyFile& declared = node->package_of(node->components[0]).properties;
  for (const CF::DataType& each : all) {
    const SimpleProperty* const known = declared.find(each.id());
    ASSERT_NE(known, nullptr) << each.id();
    EXPECT_TRUE(known->allocation || known->configurable) << each.id();
    EXPECT_EQ(known->problem(text_of(each.value()).value_or("none")), std::nullopt) << each.id();
  }
  for (const SimpleProperty& each : declared.simple) {
    const auto given = ids(all);
    if (each.id == kAllocationId) continue;  // it is only written
    EXPECT_TRUE((!each.allocation && !each.configurable) ||
                std::find(given.begin(), given.end(), each.id) != given.end())
        << each.id;
  }
}

TEST(ExecutableDevice, ConfiguresItsCacheAndNothingElse) {
  ServedDevice served;
  served.device->configure({property("cache_limit_mb", "ulong", "7")});
  CF::Properties limit{{"cache_limit_mb", {}}};
  served.device->query(limit);
  EXPECT_EQ(text_of(limit[0].value()), "7");
  EXPECT_THROW(served.device->configure({property("processors", "double", "7")}),
               CF::PropertySet::InvalidConfiguration);
  CF::Properties unknown{{"colour", {}}};
  EXPECT_THROW(served.device->query(unknown), CF::UnknownProperties);
}

}  // namespace
}  // namespace orbweaver::sca
