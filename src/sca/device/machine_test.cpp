#include "sca/device/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kMiB = 1024 * 1024;

/// A folder with files of /proc and /sys of an imaginary machine of four processors and 8 GiB.
class MachineTest : public ::testing::Test {
 protected:
  MachineTest() {
    std::string name = fs::temp_directory_path() / "orbweaver-machine-XXXXXX";
    root_ = mkdtemp(name.data());
    write("proc/sys/kernel/ostype", "Linux\n");
    write("proc/sys/kernel/osrelease", "6.1.0-13-amd64\n");
    write("proc/sys/kernel/hostname", "rack1\n");
    write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Imaginary CPU 3000\n\nmodel name\t: Other\n");
    write("proc/self/status",
          "Name:\tx\nCapEff:\t0000000000000000\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\n");
    write("proc/self/limits", "Limit  Soft Limit  Hard Limit  Units\nMax realtime priority     20    50\n");
    write("proc/meminfo", "MemTotal:        8388608 kB\nMemFree:  1024 kB\nMemAvailable:    4194304 kB\n");
    write("proc/loadavg", "0.52 0.58 0.59 1/389 12345\n");
    write("proc/self/cgroup", "0::/radio/rx\n");
  }
  ~MachineTest() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  Machine machine() const { return read_machine(root_); }

  fs::path root_;
};

TEST_F(MachineTest, DescribesTheMachine) {
  const Machine seen = machine();
  EXPECT_EQ(seen.system, "Linux");
  EXPECT_EQ(seen.release, "6.1.0-13-amd64");
  EXPECT_EQ(seen.host, "rack1");
  EXPECT_EQ(seen.processor, "Imaginary CPU 3000");
  EXPECT_THAT(seen.cpus, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(seen.processors, 4);
  EXPECT_EQ(seen.memory_bytes, 8192 * kMiB);
  EXPECT_EQ(seen.free_memory_bytes, 4096 * kMiB);
  EXPECT_EQ(seen.load, 0.52);
  EXPECT_EQ(seen.real_time_priority, 20);
}

TEST_F(MachineTest, HonoursTheLimitsOfTheControlGroupAndItsParents) {
  write("sys/fs/cgroup/radio/rx/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/radio/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/radio/rx/memory.max", "1073741824\n");
  write("sys/fs/cgroup/radio/rx/memory.current", "536870912\n");
  write("sys/fs/cgroup/radio/rx/memory.stat", "anon 1\ninactive_file 268435456\n");
  write("sys/fs/cgroup/radio/memory.max", "max\n");
  const Machine seen = machine();
  EXPECT_EQ(seen.processors, 1.5);
  EXPECT_EQ(seen.memory_bytes, 1024 * kMiB);
  EXPECT_EQ(seen.free_memory_bytes, (1024 - 512 + 256) * kMiB);
}

TEST_F(MachineTest, HonoursControlGroupsOfVersion1) {
  write("proc/self/cgroup", "9:name=systemd:/\n4:memory:/docker/6f\n3:cpu,cpuacct:/docker/6f\n0::/\n");
  write("sys/fs/cgroup/memory/docker/6f/memory.limit_in_bytes", "2147483648\n");
  write("sys/fs/cgroup/memory/docker/6f/memory.usage_in_bytes", "2147483648\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/cpu/docker/6f/cpu.cfs_quota_us", "50000\n");
  write("sys/fs/cgroup/cpu/docker/6f/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  const Machine seen = machine();
  EXPECT_EQ(seen.processors, 0.5);
  EXPECT_EQ(seen.memory_bytes, 2048 * kMiB);
  EXPECT_EQ(seen.free_memory_bytes, 0u);
}

TEST_F(MachineTest, HonoursTheLimitsOfAContainer) {
  // The group's name is that of the host; what is mounted is the group itself.
  write("proc/self/cgroup", "0::/../../kubepods/pod1\n");
  write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(machine().processors, 2);
}

TEST_F(MachineTest, CountsOnlyTheProcessorsThatItMayRunOn) {
  write("proc/self/status", "CapEff:\t0000000000800000\nCpus_allowed_list:\t1,3\n");
  const Machine seen = machine();
  EXPECT_THAT(seen.cpus, ElementsAre(1, 3));
  EXPECT_EQ(seen.processors, 2);
  EXPECT_EQ(seen.real_time_priority, 99) << "with CAP_SYS_NICE";
}

TEST(Machine, IsEmptyWhereNothingCanBeRead) {
  const Machine seen = read_machine("/nonexistent");
  EXPECT_EQ(seen.system, "");
  EXPECT_THAT(seen.cpus, IsEmpty());
  EXPECT_EQ(seen.processors, 0);
  EXPECT_EQ(seen.memory_bytes, 0u);
  EXPECT_EQ(seen.real_time_priority, 0);
}

TEST(Machine, AgreesWithTheSystem) {
  const Machine here = read_machine();
  utsname names{};
  ASSERT_EQ(uname(&names), 0);
  EXPECT_EQ(here.system, names.sysname);
  EXPECT_EQ(here.release, names.release);
  cpu_set_t set;
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  EXPECT_EQ(static_cast<int>(here.cpus.size()), CPU_COUNT(&set));
  EXPECT_GT(here.processors, 0);
  EXPECT_LE(here.free_memory_bytes, here.memory_bytes);
  EXPECT_GT(here.memory_bytes, 0u);
}

TEST(CpuList, IsReadUpToItsFirstMistake) {
  EXPECT_THAT(parse_cpu_list("0-2,8,10-11"), ElementsAre(0, 1, 2, 8, 10, 11));
  EXPECT_THAT(parse_cpu_list(""), IsEmpty());
  EXPECT_THAT(parse_cpu_list("1,x,3"), ElementsAre(1));
  EXPECT_THAT(parse_cpu_list("3-1"), IsEmpty());
  EXPECT_THAT(parse_cpu_list("5-"), IsEmpty());
  EXPECT_EQ(parse_cpu_list("0-2147483647").size(), 65536u);
  EXPECT_THAT(parse_cpu_list("2147483648"), IsEmpty());
}

}  // namespace
}  // namespace orbweaver::sca
