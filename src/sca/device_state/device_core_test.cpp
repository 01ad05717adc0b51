#include "sca/device_state/device_core.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace orbweaver::sca {
namespace {

/// A device with two processors, and the changes of its states.
struct ObservedDevice {
  ObservedDevice() { core.add_capacity("processors", 2); }

  std::string changes;
  DeviceCore core{[this](const DeviceStateChange& change) {
    changes += (changes.empty() ? "" : " ") + change.from + ">" + change.to;
  }};
};

TEST(DeviceCore, IsIdleActiveAndBusyByItsCapacities) {
  ObservedDevice device;
  EXPECT_EQ(device.core.usage(), UsageState::idle);
  ASSERT_TRUE(device.core.allocate({{"processors", 0.5}}));
  EXPECT_EQ(device.core.usage(), UsageState::active);
  ASSERT_TRUE(device.core.allocate({{"processors", 1.5}}));
  EXPECT_EQ(device.core.usage(), UsageState::busy);
  ASSERT_TRUE(device.core.deallocate({{"processors", 2}}));
  EXPECT_EQ(device.changes, "IDLE>ACTIVE ACTIVE>BUSY BUSY>IDLE");
}

TEST(DeviceCore, ReturnsANamedAllocationOnce) {
  ObservedDevice device;
  ASSERT_TRUE(device.core.allocate({{"processors", 0.5}}, "app_1/1"));
  ASSERT_TRUE(device.core.allocate({{"processors", 0.5}}, "app_2/1"));
  EXPECT_FALSE(device.core.allocate({{"processors", 0.5}}, "app_2/1")) << "it exists";
  ASSERT_TRUE(device.core.deallocate({{"processors", 0.5}}, "app_1/1"));
  EXPECT_TRUE(device.core.deallocate({{"processors", 0.5}}, "app_1/1")) << "its reply was not seen";
  EXPECT_EQ(device.core.left("processors"), 1.5) << "0.5 are those of another application";
  EXPECT_FALSE(device.core.allocate({{"processors", 1.75}}, "app_1/1"));
  EXPECT_TRUE(device.core.deallocate({{"processors", 1.75}}, "app_1/1")) << "it was not made";
  EXPECT_TRUE(device.core.deallocate({{"processors", 2}}, "app_2/1"));
  EXPECT_EQ(device.core.left("processors"), 2) << "what was allocated";
}

TEST(DeviceCore, SumsWhatAnApplicationHasAllocated) {
  ObservedDevice device;
  device.core.add_capacity("memory_mb", 100);
  ASSERT_TRUE(device.core.allocate({{"processors", 0.5}, {"memory_mb", 10}}, "app_1/1"));
  ASSERT_TRUE(device.core.allocate({{"memory_mb", 20}}, "app_1/2"));
  ASSERT_TRUE(device.core.allocate({{"memory_mb", 40}}, "app_10/1"));
  ASSERT_TRUE(device.core.allocate({{"memory_mb", 5}}));
  const std::map<std::string, double> sums{{"processors", 0.5}, {"memory_mb", 30}};
  EXPECT_EQ(device.core.allocated("app_1/"), sums);
  ASSERT_TRUE(device.core.deallocate({}, "app_1/1"));
  EXPECT_EQ(device.core.allocated("app_1/"), (std::map<std::string, double>{{"memory_mb", 20}}));
  EXPECT_TRUE(device.core.allocated("app_2/").empty());
}

TEST(DeviceCore, IsActiveWhileSomethingUsesIt) {
  ObservedDevice device;
  ASSERT_TRUE(device.core.begin_use());
  EXPECT_EQ(device.core.usage(), UsageState::active);
  device.core.end_use();
  EXPECT_EQ(device.core.usage(), UsageState::idle);
}

TEST(DeviceCore, IsLockedAfterItsParts) {
  ObservedDevice device;
  EXPECT_EQ(device.core.awaited_parts(), 0u);
  EXPECT_TRUE(device.core.command_lock_with_parts());
  EXPECT_FALSE(device.core.command_lock_with_parts()) << "it is no change";
  const std::uint64_t first = device.core.awaited_parts();
  EXPECT_EQ(device.core.admin(), AdminState::shutting_down) << "it is idle, and its parts are not locked";
  EXPECT_TRUE(device.core.command(AdminState::unlocked));
  EXPECT_EQ(device.core.awaited_parts(), 0u);
  EXPECT_TRUE(device.core.command_lock_with_parts());
  device.core.parts_locked(first);
  EXPECT_EQ(device.core.admin(), AdminState::shutting_down) << "this is about the earlier command";
  ASSERT_TRUE(device.core.awaited_parts() != first);
  device.core.parts_locked(device.core.awaited_parts());
  EXPECT_EQ(device.core.admin(), AdminState::locked);
}

TEST(DeviceCore, LocksAnIdleDeviceAtOnce) {
  ObservedDevice device;
  device.core.command(AdminState::locked);
  EXPECT_EQ(device.core.admin(), AdminState::locked);
  EXPECT_EQ(device.changes, "UNLOCKED>SHUTTING_DOWN SHUTTING_DOWN>LOCKED");
}

TEST(DeviceCore, ShutsDownUntilNothingUsesIt) {
  ObservedDevice device;
  ASSERT_TRUE(device.core.allocate({{"processors", 1}}));
  ASSERT_TRUE(device.core.begin_use());
  device.core.command(AdminState::locked);
  EXPECT_EQ(device.core.admin(), AdminState::shutting_down);
  EXPECT_EQ(device.core.closed(), "the device is SHUTTING_DOWN");
  EXPECT_EQ(device.core.locked(), "") << "what is in use can be given back";
  EXPECT_FALSE(device.core.begin_use());
  EXPECT_EQ(device.core.allocate({{"processors", 1}}).error().kind, ErrorKind::transient);
  ASSERT_TRUE(device.core.deallocate({{"processors", 1}}));
  EXPECT_EQ(device.core.admin(), AdminState::shutting_down);
  device.core.end_use();
  EXPECT_EQ(device.core.admin(), AdminState::locked);
  EXPECT_EQ(device.core.deallocate({}).error().message, "the device is LOCKED");
}

TEST(DeviceCore, UnlocksADeviceThatIsShuttingDown) {
  ObservedDevice device;
  ASSERT_TRUE(device.core.begin_use());
  device.core.command(AdminState::locked);
  device.core.command(AdminState::unlocked);
  EXPECT_EQ(device.core.closed(), "");
  device.core.end_use();
  EXPECT_EQ(device.core.admin(), AdminState::unlocked);
}

TEST(DeviceCore, IgnoresCommandsWithoutAMeaning) {
  ObservedDevice device;
  device.core.command(AdminState::shutting_down);
  device.core.command(AdminState::unlocked);
  EXPECT_EQ(device.changes, "");
}

TEST(DeviceCore, RejectsAllUseWhenDisabled) {
  ObservedDevice device;
  device.core.set_enabled(false);
  EXPECT_EQ(device.core.closed(), "the device is DISABLED");
  EXPECT_EQ(device.core.locked(), "the device is DISABLED");
  EXPECT_EQ(device.changes, "ENABLED>DISABLED");
}

TEST(DeviceCore, CannotBeUnlockedAfterItsEnd) {
  ObservedDevice device;
  device.core.lock();
  device.core.command(AdminState::unlocked);
  EXPECT_EQ(device.core.admin(), AdminState::locked);
}

}  // namespace
}  // namespace orbweaver::sca
