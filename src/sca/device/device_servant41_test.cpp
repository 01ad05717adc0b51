// An executable device as SCA 4.1 sees it, called from another ORB.
#include "sca/device/device_servant41.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <limits>
#include <mutex>

#include "Device41C.h"
#include "platform/testing/becomes_true.h"
#include "sca/files/testing/served_folder.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

using CF::ExecutableInterface;
using platform::testing::becomes_true;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryFolder;
using testing::TestOrb;
using Admin = CF::AdministratableInterface::AdminType;
using Execution = ExecutableInterface::ExecutionID_Type;
using LoadType = CF::LoadableInterface::LoadType;

CF::DataType property(const std::string& id, const std::string& type, const std::string& value) {
  return {id, any_of(type, value)};
}
template <class T>
CF::DataType option(const std::string& id, const T& value) {
  CORBA::Any any;
  any <<= value;
  return {id, std::move(any)};
}

/// A device, its object of 4.1 as a client sees it, and a file system with programs.
struct ServedDevice41 {
  explicit ServedDevice41(const std::string& id = "device") {
    DeviceOptions options;
    options.id = id;
    options.has_parts = true;
    options.processors = 2;
    options.memory_mb = 512;
    options.cache_folder = folder.path("cache").string();
    options.limit_group = false;
    options.terminate_ms = 100'000;
    DeviceEvents events;
    events.line = [this](const std::string&, int, const std::string& line) {
      const std::lock_guard lock(mutex);
      lines.push_back(line);
    };
    events.released = [this] { released = true; };
    servant = CORBA::make_reference<ExecutableDeviceServant>(options, std::move(events), orb.poa);
    const auto object =
        orb.poa->id_to_reference(orb.poa->activate_object(CORBA::make_reference<DeviceServant41>(servant)));
    servant->set_sca41_object(object);
    reference = client.use<CORBA::Object>(object);
    device = IDL::traits<framework::ExecutableDevice41>::narrow(reference);
    files = make_file_system(source.path().string(), orb.poa);
  }
  Execution execute(const std::string& script, const CF::Properties& options = {}) {
    source.write("program", "#!/bin/sh\n" + script + "\n");
    device->load(files, "/program", LoadType::EXECUTABLE);
    return device->execute("/program", options, {});
  }
  bool prints(const std::string& line) {
    return becomes_true([&] {
      const std::lock_guard lock(mutex);
      return std::find(lines.begin(), lines.end(), line) != lines.end();
    });
  }

  TestOrb orb, client;
  TemporaryFolder folder, source;
  testing::FileSystemRef files;
  std::mutex mutex;
  std::vector<std::string> lines;
  std::atomic<bool> released{false};
  CORBA::servant_reference<ExecutableDeviceServant> servant;
  IDL::traits<CORBA::Object>::ref_type reference;
  IDL::traits<framework::ExecutableDevice41>::ref_type device;
};

/// A processor that this process may use.
std::uint32_t own_core() {
  cpu_set_t own;
  EXPECT_EQ(sched_getaffinity(0, sizeof own, &own), 0);
  std::uint32_t core = 0;
  while (!CPU_ISSET(core, &own)) ++core;
  return core;
}

TEST(Device41, HasTheInterfacesIntoWhichTheStandardSplitsADevice) {
  ServedDevice41 served;
  for (const char* const name :
       {"LifeCycle", "PropertySet", "TestableInterface", "PortAccessor", "ControllableInterface",
        "ComponentIdentifier", "DeviceAttributes", "AdministratableInterface", "CapacityManagement",
        "LoadableInterface", "ExecutableInterface", "AggregateDeviceAttributes"})
    EXPECT_TRUE(served.reference->_is_a("IDL:CF/" + std::string(name) + ":1.0")) << name;
  EXPECT_FALSE(served.reference->_is_a("IDL:CF/Device:1.0"));
  EXPECT_EQ(served.device->identifier(), "device");
  EXPECT_EQ(served.device->operationalState(), CF::DeviceAttributes::OperationalType::ENABLED);
  EXPECT_FALSE(served.device->started());
  served.device->start();
  EXPECT_TRUE(served.device->started());
  served.device->stop();
  EXPECT_FALSE(served.device->started());
  CF::Properties none;
  EXPECT_THROW(served.device->runTest(1, none), CF::TestableInterface::UnknownTest);
  EXPECT_THROW(served.device->disconnectPorts({{"c", "out"}}), CF::PortAccessor::InvalidPort);
  CF::Properties system{property("os_name", "string", "")};
  served.device->query(system);
  EXPECT_EQ(text_of(system.at(0).value()), "Linux");
}

TEST(Device41, IsAPortOfTheDeviceOf222) {
  ServedDevice41 served;
  EXPECT_TRUE(served.servant->getPort("SCA41")->_is_a("IDL:CF/ExecutableInterface:1.0"));
  EXPECT_THROW(served.servant->getPort("other"), CF::PortSupplier::UnknownPort);
}

TEST(Device41, AllocatesTheCapacitiesOfTheDeviceOf222) {
  ServedDevice41 served;
  EXPECT_EQ(served.device->usageState(), CF::CapacityManagement::UsageType::IDLE);
  EXPECT_TRUE(served.device->allocateCapacity({property("memory_mb", "ulong", "400")}));
  EXPECT_EQ(served.servant->usageState(), CF::Device::UsageType::ACTIVE) << "one device";
  EXPECT_FALSE(served.device->allocateCapacity({property("memory_mb", "ulong", "400")}));
  try {
    served.device->allocateCapacity({property("antennas", "ulong", "1")});
    FAIL() << "no exception";
  } catch (const CF::CapacityManagement::InvalidCapacity& e) {
    ASSERT_EQ(e.capacities().size(), 1u);
    EXPECT_EQ(e.capacities()[0].id(), "antennas");
  }
  served.device->deallocateCapacity({property("memory_mb", "ulong", "400")});
  EXPECT_EQ(served.device->usageState(), CF::CapacityManagement::UsageType::IDLE);
}

TEST(Device41, IsLockedAndUnlocked) {
  ServedDevice41 served;
  served.device->adminState(Admin::LOCKED);
  EXPECT_EQ(served.device->adminState(), Admin::LOCKED);
  EXPECT_THROW(served.device->allocateCapacity({}), CF::InvalidState);
  EXPECT_THROW(served.device->load(served.files, "/program", LoadType::EXECUTABLE), CF::InvalidState);
  EXPECT_THROW(served.device->execute("/program", {}, {}), CF::InvalidState);
  served.device->adminState(Admin::UNLOCKED);
  EXPECT_EQ(served.servant->adminState(), CF::Device::AdminType::UNLOCKED);
}

TEST(Device41, LoadsAndUnloadsFiles) {
  ServedDevice41 served;
  EXPECT_THROW(served.device->load(served.files, "/none", LoadType::EXECUTABLE), CF::InvalidFileName);
  EXPECT_THROW(served.device->load(served.files, "/none", LoadType::DRIVER),
               CF::LoadableInterface::InvalidLoadKind);
  served.source.write("program", "#!/bin/sh\n");
  served.device->load(served.files, "/program", LoadType::EXECUTABLE);
  EXPECT_EQ(served.device->usageState(), CF::CapacityManagement::UsageType::ACTIVE);
  served.device->unload("/program");
  EXPECT_THROW(served.device->unload("/program"), CF::InvalidFileName);
}

TEST(Device41, ExecutesWithCoreAffinityAndTerminatesByTheExecutionId) {
  ServedDevice41 served;
  const std::uint32_t core = own_core();
  const Execution id = served.execute("grep Cpus_allowed_list /proc/self/status | cut -f2; exec sleep 1000",
                                      {option(ExecutableInterface::CORE_AFFINITY_ID, CF::ULongSeq{core})});
  EXPECT_TRUE(served.prints(std::to_string(core))) << "the kernel's list";
  EXPECT_THAT(id.cores(), ElementsAre(core));
  EXPECT_EQ(id.processCollocation(), "");
  EXPECT_EQ(served.servant->processes(), 1u);
  served.device->terminate(id);
  EXPECT_TRUE(becomes_true([&] { return served.servant->processes() == 0; }));
  EXPECT_THROW(served.device->terminate(id), ExecutableInterface::InvalidProcess);
  Execution unknown;
  unknown.processId(std::numeric_limits<std::uint64_t>::max());
  EXPECT_THROW(served.device->terminate(unknown), ExecutableInterface::InvalidProcess);
}

TEST(Device41, NamesInvalidOptionsFunctionsAndParameters) {
  ServedDevice41 served;
  served.source.write("program", "#!/bin/sh\n");
  served.device->load(served.files, "/program", LoadType::EXECUTABLE);
  const auto invalid = [&](const CF::Properties& options) {
    std::vector<std::string> ids;
    try {
      served.device->execute("/program", options, {});
    } catch (const ExecutableInterface::InvalidOptions& e) {
      for (const CF::DataType& each : e.invalidOpts()) ids.push_back(each.id());
    }
    return ids;
  };
  EXPECT_THAT(invalid({property("COLOUR", "string", "red"),
                       option(ExecutableInterface::CORE_AFFINITY_ID, CF::ULongSeq{70000})}),
              ElementsAre("COLOUR", "CORE_AFFINITY"));
  EXPECT_THAT(invalid({property(ExecutableInterface::PROCESS_COLLOCATION_ID, "string",
                                ExecutableInterface::EXEC_DEVICE_PROCESS_SPACE)}),
              ElementsAre("PROCESS_COLLOCATION"))
      << "nothing is executed in the process of the device";
  EXPECT_THAT(invalid({property("PROCESS_COLLOCATION", "string", "a"),
                       property("PROCESS_COLLOCATION_ID", "string", "b")}),
              ElementsAre("PROCESS_COLLOCATION_ID"))
      << "the earlier name of the option";
  EXPECT_THROW(served.device->execute("/program", {property("ENTRY_POINT", "string", "f")}, {}),
               ExecutableInterface::InvalidFunction);
  EXPECT_THROW(served.device->execute("/program", {}, {option("list", CF::ULongSeq{1})}),
               ExecutableInterface::InvalidParameters);
  EXPECT_THROW(served.device->execute("/none", {}, {}), CF::InvalidFileName);
}

TEST(Device41, SaysWhyAProgramCannotBeExecuted) {
  ServedDevice41 served;
  served.source.write("program", "no program");
  served.device->load(served.files, "/program", LoadType::EXECUTABLE);
  try {
    served.device->execute("/program", {}, {});
    FAIL() << "no exception";
  } catch (const ExecutableInterface::ExecuteFail& e) {
    EXPECT_THAT(e.msg(), HasSubstr("Exec format error"));
  }
}

TEST(Device41, LocksAndReleasesItsPartsWithItself) {
  ServedDevice41 whole, part("part"), old("old");
  const auto parts = whole.device->compositeDevice();
  parts->addDevice(part.reference, "part");
  parts->addDevice(part.reference, "part");
  EXPECT_THROW(parts->addDevice(nullptr, "nil"), CF::InvalidObjectReference);
  EXPECT_THROW(parts->addDevice(part.reference, ""), CF::InvalidObjectReference);
  EXPECT_THROW(parts->addDevice(old.reference, "part"), CF::InvalidObjectReference);
  EXPECT_THROW(parts->removeDevice("other"), CF::InvalidObjectReference);
  // A device that has been added as one of 2.2.2.
  whole.servant->compositeDevice()->addDevice(IDL::traits<CF::Device>::narrow(
      old.orb.poa->id_to_reference(old.orb.poa->activate_object(old.servant))));
  const CF::ObjectSequence devices = parts->devices();
  ASSERT_EQ(devices.size(), 2u);
  for (const auto& each : devices) EXPECT_TRUE(each->_is_a("IDL:CF/DeviceAttributes:1.0"));
  whole.device->adminState(Admin::LOCKED);
  EXPECT_EQ(part.device->adminState(), Admin::LOCKED);
  EXPECT_EQ(old.device->adminState(), Admin::LOCKED);
  parts->removeDevice("part");
  EXPECT_EQ(parts->devices().size(), 1u);
  whole.device->adminState(Admin::UNLOCKED);
  EXPECT_EQ(part.device->adminState(), Admin::LOCKED) << "it is no part any more";
  parts->addDevice(part.reference, "part");
  whole.device->releaseObject();
  EXPECT_TRUE(part.released && old.released && whole.released);
}

}  // namespace
}  // namespace orbweaver::sca
