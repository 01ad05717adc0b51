// Pools and rings in huge pages. What the system has to give is its administrator's: tests that need some say what to set.
#include <fcntl.h>
#include <sys/mman.h>

#include <bit>
#include <fstream>

#include "platform/memory.h"
#include "testing.h"
#include "transport/huge_pages.h"

namespace blocktest {
namespace {

namespace platform = orbweaver::platform;
using orbweaver::transport::Reserve;
using platform::kHugePageBytes;
using platform::Pages;

constexpr std::size_t kPoolPages = 4;
const std::vector<std::string> kHuge = {"-ORBHugePages", "on", "-ORBPoolBytes", std::to_string(kPoolPages * kHugePageBytes)};

std::size_t free_pages() {
  std::size_t n = 0;
  std::ifstream("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages") >> n;
  return n;
}
/// The sum, in kB, of a line of /proc/PID/smaps over all mappings of memory files with this label.
std::size_t kilobytes(int pid, const std::string& label, const std::string& line) {
  std::ifstream smaps("/proc/" + std::to_string(pid) + "/smaps");
  std::size_t sum = 0;
  bool inside = false;
  for (std::string text; std::getline(smaps, text);) {
    if (text.find("-") < text.find(" ") && text.find(":") > text.find(" ")) inside = text.find("memfd:" + label) != std::string::npos;
    if (inside && text.rfind(line + ":", 0) == 0) sum += std::stoul(text.substr(line.size() + 1));
  }
  return sum;
}

TEST_F(BlockCalls, APoolLiesInReservedHugePagesAtItsOwnerAndItsReaders) {
  if (free_pages() < kPoolPages) GTEST_SKIP() << "needs free huge pages: sysctl vm.nr_hugepages=8 or more";
  StageProcess owner(kHuge), holder;
  const StageRef a = at(owner), b = at(holder);
  a->lend_to(b, kSamples, 9.0);
  EXPECT_FALSE(b->kept_is_copy());
  EXPECT_EQ(b->kept_sum(), 9 * 131072.0);
  EXPECT_EQ(kilobytes(owner.pid(), "orbweaver-blocks", "KernelPageSize"), 2048u);
  EXPECT_EQ(kilobytes(holder.pid(), "orbweaver-blocks", "KernelPageSize"), 2048u);
  EXPECT_EQ(kilobytes(owner.pid(), "orbweaver-blocks", "Shared_Hugetlb"), kPoolPages * 2048) << "not all taken at once";
  owner.kill();
  EXPECT_EQ(b->kept_sum(), 9 * 131072.0);
}

TEST_F(BlockCalls, APoolLiesInTransparentHugePagesWhereThereIsNoReserve) {
  if (!platform::has_transparent_pages()) {
    GTEST_SKIP() << "needs: echo advise > /sys/kernel/mm/transparent_hugepage/shmem_enabled";
  }
  if (free_pages() >= kPoolPages) GTEST_SKIP() << "there is a reserve, which comes first";
  StageProcess owner(kHuge), holder;
  const StageRef a = at(owner), b = at(holder);
  a->lend_to(b, kSamples, 9.0);
  EXPECT_EQ(b->kept_sum(), 9 * 131072.0);
  EXPECT_GT(kilobytes(owner.pid(), "orbweaver-blocks", "ShmemPmdMapped"), 0u);
  EXPECT_GT(kilobytes(holder.pid(), "orbweaver-blocks", "ShmemPmdMapped"), 0u);
}

TEST_F(BlockCalls, RingsLieInTransparentHugePages) {
  if (!platform::has_transparent_pages()) {
    GTEST_SKIP() << "needs: echo advise > /sys/kernel/mm/transparent_hugepage/shmem_enabled";
  }
  StageProcess process(kHuge);
  const StageRef stage = at(process);
  const std::vector<double> usual(kSamples, 1.0);
  for (int i = 0; i < 10; ++i) {
    stage->push(usual);
    ASSERT_EQ(stage->pushed_sum(), 131072.0);
  }
  EXPECT_GT(kilobytes(process.pid(), "orbweaver-shm", "ShmemPmdMapped"), 0u);
}

TEST_F(BlockCalls, WithoutHugePagesEverythingWorksInOrdinaryOnes) {
  const std::size_t pages = std::bit_ceil(free_pages() + 1);
  if (pages > 128) GTEST_SKIP() << "more is in reserve than a pool of this test could ask for";
  StageProcess owner({"-ORBHugePages", "on", "-ORBPoolBytes", std::to_string(pages * kHugePageBytes)}), holder;
  const StageRef a = at(owner), b = at(holder);
  for (int i = 1; i < 20; ++i) {
    a->lend_to(b, kSamples, i);
    ASSERT_FALSE(b->kept_is_copy());
    ASSERT_EQ(b->kept_sum(), i * 131072.0);
  }
  EXPECT_EQ(kilobytes(owner.pid(), "orbweaver-blocks", "KernelPageSize"), 4u);
}

/// For each kind that this system has.
TEST(HugePages, LentMemoryIsSealedAndTakenAtOnce) {
  for (const Pages pages : {Pages::ordinary, Pages::transparent, Pages::reserved}) {
    if (pages == Pages::reserved && free_pages() < 2) continue;
    const auto lent = platform::make_lent_memory("test", 2 * kHugePageBytes, pages);
    ASSERT_TRUE(lent);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(lent.mapping.data()) % kHugePageBytes, 0u);
    EXPECT_EQ(platform::check_lent_memory(lent.file, 2 * kHugePageBytes), 0);
    EXPECT_FALSE(platform::map_shared(lent.file, {{0, 2 * kHugePageBytes, 1}})) << "others can write to it";
    EXPECT_NE(ftruncate(lent.file.get(), kHugePageBytes), 0);
    EXPECT_NE(fallocate(lent.file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, kHugePageBytes), 0);
    auto mapped = platform::map_read_only(lent.file, 2 * kHugePageBytes);
    ASSERT_TRUE(mapped);
    EXPECT_NE(mprotect(mapped.mapping.data(), kHugePageBytes, PROT_READ | PROT_WRITE), 0);
    std::fill(lent.mapping.data(), lent.mapping.data() + lent.mapping.size(), std::uint8_t{7});
    EXPECT_EQ(mapped.mapping.data()[2 * kHugePageBytes - 1], 7);
  }
}

TEST(HugePages, AReserveThatDoesNotSufficeIsAnErrorAndNoSignal) {
  const std::size_t before = free_pages();
  const auto lent = platform::make_lent_memory("test", (before + 1) * kHugePageBytes, Pages::reserved);
  EXPECT_FALSE(lent);
  EXPECT_TRUE(becomes_true([&] { return free_pages() >= before; })) << "what was taken for it is given back";
}

TEST(HugePages, WhatTheSystemHasNotIsToldOnceAndWithTheRemedy) {
  const std::vector<Pages> all = {Pages::reserved, Pages::transparent, Pages::ordinary};
  std::vector<Pages> tried;
  const auto make = [&](Pages pages) {
    tried.push_back(pages);
    return pages == Pages::ordinary;
  };
  orbweaver::transport::want_huge_pages(true);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(in_best_pages("a test", 4 * kHugePageBytes, Reserve::may, make));
  const std::string said = testing::internal::GetCapturedStderr();
  orbweaver::transport::want_huge_pages(false);
  EXPECT_EQ(tried.front(), Pages::reserved);
  EXPECT_EQ(tried.back(), Pages::ordinary);
  EXPECT_NE(said.find("no huge pages for a test, which takes 4 of 2 MiB"), std::string::npos) << said;
  EXPECT_NE(said.find("vm.nr_hugepages"), std::string::npos) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  tried.clear();
  EXPECT_TRUE(in_best_pages("a test", kHugePageBytes, Reserve::may, make));
  EXPECT_EQ(tried, std::vector<Pages>{Pages::ordinary}) << "nobody wants them any more";
}

}  // namespace
}  // namespace blocktest
