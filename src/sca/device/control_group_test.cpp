#include "sca/device/control_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "platform/testing/becomes_true.h"
#include "sca/files/testing/served_folder.h"

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;
using platform::testing::becomes_true;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

/// A folder like the root of a machine with control groups of version 2, in which this process, 77, is in
/// `group`; process 70 is its node, and 60 a shell.
struct FakeGroups {
  explicit FakeGroups(const std::string& controllers, const std::string& group = "radio") : name(group) {
    root.write("proc/self/cgroup", "12:pids:/x\n0::/" + group + "\n");
    process(60, 1, "/bin/bash");
    process(70, 60, "/usr/bin/orbweaver");
    process(77, 70, "/usr/bin/orbweaver-device");
    process(78, 77, "/opt/filter");
    const std::string base = "sys/fs/cgroup/radio/";
    root.write(base + "cgroup.controllers", controllers);
    root.write(base + "cgroup.subtree_control", controllers);
    root.write(base + "cgroup.type", "domain\n");
    root.write("sys/fs/cgroup/" + group + "/cgroup.controllers", controllers);
    // What the kernel makes in a new group.
    root.write(base + "orbweaver-device-77/cgroup.controllers", controllers);
    root.write(base + "orbweaver-device-77/cgroup.subtree_control", "");
  }
  void process(int pid, int parent, const char* program) {
    const std::string folder = "proc/" + std::to_string(pid);
    root.write(folder + "/status", "Name:\tx\nPPid:\t" + std::to_string(parent) + "\n");
    fs::create_symlink(program, root.path(folder + "/exe"));
  }
  Result<std::unique_ptr<ControlGroup>> create() {
    return ControlGroup::create(77, {512u << 20, 1.5}, root.path().string());
  }
  const std::string name;
  TemporaryFolder root;
};

TEST(ControlGroup, SetsLimitsOfMemoryAndProcessorTime) {
  FakeGroups groups("cpu memory pids\n");
  const auto group = groups.create();
  ASSERT_TRUE(group) << group.error().message;
  const std::string path = "sys/fs/cgroup/radio/orbweaver-device-77/";
  EXPECT_TRUE(fs::equivalent((*group)->path(), groups.root.path(path)));
  EXPECT_EQ(groups.root.content(path + "memory.max"), std::to_string(512u << 20));
  EXPECT_EQ(groups.root.content(path + "cpu.max"), "150000 100000");
}

TEST(ControlGroup, HasAGroupForEachApplication) {
  FakeGroups groups("cpu memory pids\n");
  const auto group = groups.create();
  ASSERT_TRUE(group) << group.error().message;
  const auto one = (*group)->application("DCE:1/..", {64u << 20, 0.25});
  ASSERT_TRUE(one) << one.error().message;
  const std::string path = "sys/fs/cgroup/radio/orbweaver-device-77/app-DCE_1___/";
  EXPECT_TRUE(fs::equivalent(*one, groups.root.path(path)));
  EXPECT_EQ(groups.root.content(path + "memory.max"), std::to_string(64u << 20));
  EXPECT_EQ(groups.root.content(path + "cpu.max"), "25000 100000");
  const auto unlimited = (*group)->application("DCE:1/..", {});
  ASSERT_TRUE(unlimited);
  EXPECT_EQ(*unlimited, *one);
  EXPECT_EQ(groups.root.content(path + "memory.max"), "max");
  EXPECT_EQ(groups.root.content(path + "cpu.max"), "max 100000");
}

TEST(ControlGroup, MovesTheProcessesOfOrbweaverToAGroupOfTheirOwn) {
  FakeGroups groups("cpu memory\n");
  groups.root.write("sys/fs/cgroup/radio/cgroup.procs", "70\n77\n78\n");
  // The files of a fake group do not lose the processes that are moved.
  EXPECT_THAT(groups.create().error().message, HasSubstr("are started in"));
  EXPECT_EQ(groups.root.content("sys/fs/cgroup/radio/orbweaver-processes/cgroup.procs"), "78");
}

TEST(ControlGroup, MovesNoProcessesOfOthers) {
  FakeGroups groups("cpu memory\n");
  groups.root.write("sys/fs/cgroup/radio/cgroup.procs", "60\n70\n77\n");
  EXPECT_THAT(groups.create().error().message,
              HasSubstr("has a process that is not Orbweaver's, 60: start the node in a group of its own"));
  EXPECT_FALSE(fs::exists(groups.root.path("sys/fs/cgroup/radio/orbweaver-processes")));
}

TEST(ControlGroup, UsesTheGroupThatContainsThatOfTheProcessesOfOrbweaver) {
  FakeGroups groups("cpu memory\n", "radio/orbweaver-processes");
  const auto group = groups.create();
  ASSERT_TRUE(group) << group.error().message;
  EXPECT_TRUE(fs::equivalent((*group)->path(), groups.root.path("sys/fs/cgroup/radio/orbweaver-device-77")));
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
  fs::create_directories(other / "app-1");
  const auto group = groups.create();
  EXPECT_TRUE(group);
  EXPECT_FALSE(fs::exists(other));
}

// ---- with groups of this machine's kernel ----

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A delegated group of the kernel with the memory and cpu controllers, in which a child of this process
/// calls a function. Removed by the destructor.
class KernelGroup {
 public:
  KernelGroup() {
    for (const char* const mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
      const std::string available = text_of(fs::path(mount) / "cgroup.controllers");
      if (available.find("memory") == std::string::npos || available.find("cpu") == std::string::npos)
        continue;
      std::ofstream(fs::path(mount) / "cgroup.subtree_control") << "+memory +cpu";
      path = fs::path(mount) / ("orbweaver-test-" + std::to_string(getpid()));
      std::error_code error;
      fs::create_directory(path, error);
      if (error || text_of(path / "cgroup.controllers").find("memory") == std::string::npos) path.clear();
    }
  }
  ~KernelGroup() {
    std::error_code ignored;
    for (const char* const name : {"orbweaver-processes", "."}) fs::remove(path / name, ignored);
    fs::remove(path, ignored);
  }
  KernelGroup(const KernelGroup&) = delete;
  KernelGroup& operator=(const KernelGroup&) = delete;

  /// The exit status of a child in the group.
  template <class Function>
  int in_child(Function function) const {
    const pid_t child = fork();
    if (child == 0) {
      std::ofstream(path / "cgroup.procs") << getpid() << std::flush;
      _exit(function());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  fs::path path;  // empty: this machine has none
};

TEST(ControlGroup, LimitsProcessesByTheKernel) {
  const KernelGroup delegated;
  if (delegated.path.empty())
    GTEST_SKIP() << "this machine permits no control group of version 2 with memory and cpu";
  const int status = delegated.in_child([&] {
    auto group = ControlGroup::create(getpid(), {512u << 20, 1});
    if (!group) {
      std::fprintf(stderr, "%s\n", group.error().message.c_str());
      return 1;
    }
    if (text_of("/proc/self/cgroup").find("/orbweaver-processes") == std::string::npos) return 2;
    const auto application = (*group)->application("DCE:1", {16u << 20, 0.5});
    if (!application) return 3;
    const pid_t child = fork();
    if (child == 0) {
      std::ofstream(fs::path(*application) / "cgroup.procs") << getpid() << std::flush;
      std::ofstream(fs::path(*application) / "memory.swap.max") << "0" << std::flush;
      // Written, so that the pages are in memory; volatile, so that the writes are not left out.
      volatile char* const bytes = static_cast<char*>(std::malloc(64u << 20));
      for (std::size_t i = 0; i < 64u << 20; i += 4096) bytes[i] = 1;
      _exit(0);
    }
    int ended = 0;
    waitpid(child, &ended, 0);
    if (!WIFSIGNALED(ended) || WTERMSIG(ended) != SIGKILL) return 4;
    (*group)->remove_ended();
    if (!becomes_true([&] {
          (*group)->remove_ended();
          return !fs::exists(*application);
        }))
      return 5;
    const std::string path = (*group)->path();
    group->reset();
    return fs::exists(path) ? 6 : 0;
  });
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace orbweaver::sca
