#include "sca/device/control_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "sca/files/testing/served_folder.h"

namespace orbweaver::sca {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

/// A folder like the root of a machine with control groups of version 2, in which this process is in `group`.
struct FakeGroups {
  explicit FakeGroups(const std::string& controllers) {
    root.write("proc/self/cgroup", "12:pids:/x\n0::/radio\n");
    root.write("proc/77/stat", "");
    root.write("sys/fs/cgroup/radio/cgroup.controllers", controllers);
    root.write("sys/fs/cgroup/radio/cgroup.subtree_control", controllers);
  }
  Result<std::unique_ptr<ControlGroup>> create() {
    return ControlGroup::create(77, {512u << 20, 1.5}, root.path().string());
  }
  TemporaryFolder root;
};

TEST(ControlGroup, SetsLimitsOfMemoryAndProcessorTime) {
  FakeGroups groups("cpu memory pids\n");
  const auto group = groups.create();
  ASSERT_TRUE(group) << group.error().message;
  const std::string path = "sys/fs/cgroup/radio/orbweaver-device-77/";
  EXPECT_TRUE(std::filesystem::equivalent((*group)->path(), groups.root.path(path)));
  EXPECT_EQ(groups.root.content(path + "memory.max"), std::to_string(512u << 20));
  EXPECT_EQ(groups.root.content(path + "cpu.max"), "150000 100000");
}

TEST(ControlGroup, SaysWhichControllerIsMissing) {
  FakeGroups groups("cpu\n");
  EXPECT_THAT(groups.create().error().message, HasSubstr("the controller 'memory' is not available in"));
  TemporaryFolder none;
  EXPECT_EQ(ControlGroup::create(1, {}, none.path().string()).error().message,
            "this machine has no control groups of version 2");
}

TEST(ControlGroup, RemovesTheGroupsOfDevicesThatHaveEnded) {
  FakeGroups groups("cpu memory\n");
  const auto other = groups.root.path("sys/fs/cgroup/radio/orbweaver-device-76");
  std::filesystem::create_directory(other);
  const auto group = groups.create();
  EXPECT_TRUE(group);
  EXPECT_FALSE(std::filesystem::exists(other));
}

}  // namespace
}  // namespace orbweaver::sca
