// Devices that are part of another one.
#include "sca/device/aggregate_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/device/testing/served_device.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using ::testing::ElementsAre;
using testing::ServedDevice;
using Admin = CF::Device::AdminType;

IDL::traits<CF::Device>::ref_type reference(ServedDevice& device) {
  return IDL::traits<CF::Device>::narrow(
      device.orb.poa->id_to_reference(device.orb.poa->activate_object(device.device)));
}

void add(ServedDevice& whole, ServedDevice& part) {
  whole.device->compositeDevice()->addDevice(whole.orb.use(reference(part)));
}

TEST(ExecutableDevice, HasAnAggregateDeviceOnlyIfItHasParts) {
  ServedDevice single, parent(true);
  EXPECT_EQ(single.device->compositeDevice(), nullptr);
  ASSERT_NE(parent.device->compositeDevice(), nullptr);
  EXPECT_TRUE(parent.device->compositeDevice()->devices().empty());
}

TEST(ExecutableDevice, LocksAndReleasesItsPartsWithItself) {
  ServedDevice parent(true), child, removed;
  const auto part = parent.orb.use(reference(child)), other = parent.orb.use(reference(removed));
  const auto aggregate = parent.device->compositeDevice();
  aggregate->addDevice(part);
  aggregate->addDevice(part);
  aggregate->addDevice(other);
  EXPECT_EQ(aggregate->devices().size(), 2u) << "each is there once";
  aggregate->removeDevice(other);
  EXPECT_THROW(aggregate->removeDevice(other), CF::InvalidObjectReference);
  EXPECT_THROW(aggregate->addDevice(nullptr), CF::InvalidObjectReference);

  parent.device->adminState(Admin::LOCKED);
  EXPECT_EQ(child.device->adminState(), Admin::LOCKED);
  EXPECT_EQ(removed.device->adminState(), Admin::UNLOCKED);
  parent.device->adminState(Admin::UNLOCKED);
  EXPECT_EQ(child.device->adminState(), Admin::UNLOCKED);
  parent.device->releaseObject();
  EXPECT_TRUE(child.released);
  EXPECT_FALSE(removed.released);
}

TEST(ExecutableDevice, EndsWithADeviceThatIsPartOfItAndOfWhichItIsPart) {
  ServedDevice one(true), other(true);
  add(one, other);
  add(other, one);
  one.device->adminState(Admin::LOCKED);
  EXPECT_EQ(one.device->adminState(), Admin::SHUTTING_DOWN) << "neither is locked before the other one";
  EXPECT_EQ(other.device->adminState(), Admin::SHUTTING_DOWN);
  one.device->releaseObject();
  EXPECT_TRUE(one.released);
  EXPECT_TRUE(other.released);
}

TEST(ExecutableDevice, IsLockedWhenItsPartsAreLocked) {
  ServedDevice whole(true), middle(true), part;
  add(whole, middle);
  add(middle, part);
  ASSERT_TRUE(part.device->allocateCapacity({testing::property("memory_mb", "ulong", "1")}));
  whole.device->adminState(Admin::LOCKED);
  EXPECT_EQ(part.device->adminState(), Admin::SHUTTING_DOWN) << "it is in use";
  EXPECT_EQ(middle.device->adminState(), Admin::SHUTTING_DOWN);
  EXPECT_EQ(whole.device->adminState(), Admin::SHUTTING_DOWN);
  part.device->deallocateCapacity({testing::property("memory_mb", "ulong", "1")});
  EXPECT_EQ(part.device->adminState(), Admin::LOCKED);
  EXPECT_TRUE(becomes_true([&] { return whole.device->adminState() == Admin::LOCKED; }));
  EXPECT_EQ(middle.device->adminState(), Admin::LOCKED);
  const std::lock_guard lock(whole.mutex);
  EXPECT_THAT(whole.states, ElementsAre("SHUTTING_DOWN", "LOCKED"));
}

TEST(ExecutableDevice, IsUnlockedBeforeItsPartsAreLocked) {
  ServedDevice whole(true), part;
  add(whole, part);
  ASSERT_TRUE(part.device->allocateCapacity({testing::property("memory_mb", "ulong", "1")}));
  whole.device->adminState(Admin::LOCKED);
  whole.device->adminState(Admin::UNLOCKED);
  EXPECT_EQ(part.device->adminState(), Admin::UNLOCKED);
  part.device->deallocateCapacity({testing::property("memory_mb", "ulong", "1")});
  EXPECT_EQ(whole.device->adminState(), Admin::UNLOCKED);
  whole.device->adminState(Admin::LOCKED);
  EXPECT_TRUE(becomes_true([&] { return whole.device->adminState() == Admin::LOCKED; }));
}

TEST(ExecutableDevice, IsLockedThoughAPartHasEnded) {
  ServedDevice whole(true);
  {
    ServedDevice part;
    add(whole, part);
  }
  whole.device->adminState(Admin::LOCKED);
  EXPECT_EQ(whole.device->adminState(), Admin::LOCKED);
}

TEST(AggregateDevice, ReportsFailures) {
  ServedDevice whole(true), part;
  const auto aggregate = whole.device->compositeDevice();
  EXPECT_THROW(aggregate->addDevice(nullptr), CF::InvalidObjectReference);
  EXPECT_THROW(aggregate->removeDevice(nullptr), CF::InvalidObjectReference);
  EXPECT_THROW(aggregate->removeDevice(whole.orb.use(reference(part))), CF::InvalidObjectReference);
  EXPECT_THAT(whole.failures, ElementsAre("addDevice has failed: the device is nil",
                                          "removeDevice has failed: the device is nil",
                                          "removeDevice has failed: the device is no part of this one"));
}

}  // namespace
}  // namespace orbweaver::sca
