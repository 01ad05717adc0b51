// Pools and rings in huge pages. A test that needs huge pages of the system is skipped with the required
// setting.
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
using orbweaver::transport::HugePageReserve;
using platform::kHugePageBytes;
using platform::Pages;

constexpr std::size_t kPoolPages = 4;
const std::vector<std::string> kHuge = {"-ORBTune", "huge-pages=on", "-ORBTune",
                                        "pool-bytes=" + std::to_string(kPoolPages* kHugePageBytes)};

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
    if (text.find("-") < text.find(" ") && text.find(":") > text.find(" "))
      inside = text.find("memfd:" + label) != std::string::npos;
    if (inside && text.rfind(line + ":", 0) == 0) sum += std::stoul(text.substr(line.size() + 1));
  }
  return sum;
}

TEST_F(BlockCalls, UsesReservedHugePagesForThePool) {
  if (free_pages() < kPoolPages) GTEST_SKIP() << "needs free huge pages: sysctl vm.nr_hugepages=8 or more";
  StageProcess owner(kHuge), holder;
  const StageRef a = at(owner), b = at(holder);
  a->lend_to(b, kSamples, 9.0);
  EXPECT_FALSE(b->kept_is_copy());
  EXPECT_EQ(b->kept_sum(), 9 * 131072.0);
  EXPECT_EQ(kilobytes(owner.pid(), "orbweaver-blocks", "KernelPageSize"), 2048u);
  EXPECT_EQ(kilobytes(holder.pid(), "orbweaver-blocks", "KernelPageSize"), 2048u);
  EXPECT_EQ(kilobytes(owner.pid(), "orbweaver-blocks", "Shared_Hugetlb"), kPoolPages * 2048)
      << "not all pages are allocated at once";
  owner.kill();
  EXPECT_EQ(b->kept_sum(), 9 * 131072.0);
}

TEST_F(BlockCalls, UsesTransparentHugePagesWithoutAReserve) {
  if (!platform::has_transparent_huge_pages()) {
    GTEST_SKIP() << "needs: echo advise > /sys/kernel/mm/transparent_hugepage/shmem_enabled";
  }
  if (free_pages() >= kPoolPages) GTEST_SKIP() << "reserved huge pages take precedence";
  StageProcess owner(kHuge), holder;
  const StageRef a = at(owner), b = at(holder);
  a->lend_to(b, kSamples, 9.0);
  EXPECT_EQ(b->kept_sum(), 9 * 131072.0);
  EXPECT_GT(kilobytes(owner.pid(), "orbweaver-blocks", "ShmemPmdMapped"), 0u);
  EXPECT_GT(kilobytes(holder.pid(), "orbweaver-blocks", "ShmemPmdMapped"), 0u);
}

TEST_F(BlockCalls, UsesTransparentHugePagesForRings) {
  if (!platform::has_transparent_huge_pages()) {
    GTEST_SKIP() << "needs: echo advise > /sys/kernel/mm/transparent_hugepage/shmem_enabled";
  }
  StageProcess process(kHuge);
  const StageRef stage = at(process);
  const std::vector<double> ordinary(kSamples, 1.0);
  for (int i = 0; i < 10; ++i) {
    stage->push(ordinary);
    ASSERT_EQ(stage->pushed_sum(), 131072.0);
  }
  EXPECT_GT(kilobytes(process.pid(), "orbweaver-shm", "ShmemPmdMapped"), 0u);
}

TEST_F(BlockCalls, WorksWithoutHugePages) {
  const std::size_t pages = std::bit_ceil(free_pages() + 1);
  if (pages > 128) GTEST_SKIP() << "too many huge pages are reserved for this test";
  StageProcess owner(
      {"-ORBTune", "huge-pages=on", "-ORBTune", "pool-bytes=" + std::to_string(pages * kHugePageBytes)}),
      holder;
  const StageRef a = at(owner), b = at(holder);
  for (int i = 1; i < 20; ++i) {
    a->lend_to(b, kSamples, i);
    ASSERT_FALSE(b->kept_is_copy());
    ASSERT_EQ(b->kept_sum(), i * 131072.0);
  }
  EXPECT_EQ(kilobytes(owner.pid(), "orbweaver-blocks", "KernelPageSize"), 4u);
}

/// For each kind of pages that this system provides.
TEST(HugePages, SealAndPopulateLentMemory) {
  for (const Pages pages : {Pages::ordinary, Pages::transparent_huge, Pages::hugetlb}) {
    if (pages == Pages::hugetlb && free_pages() < 2) continue;
    const auto lent = platform::make_exported_memory("test", 2 * kHugePageBytes, pages);
    ASSERT_TRUE(lent);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(lent.mapping.data()) % kHugePageBytes, 0u);
    EXPECT_EQ(platform::check_imported_memory(lent.file, 2 * kHugePageBytes), 0);
    EXPECT_FALSE(platform::map_shared(lent.file, {{0, 2 * kHugePageBytes, 1}})) << "writable by others";
    EXPECT_NE(ftruncate(lent.file.get(), kHugePageBytes), 0);
    EXPECT_NE(fallocate(lent.file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, kHugePageBytes), 0);
    auto mapped = platform::map_read_only(lent.file, 2 * kHugePageBytes);
    ASSERT_TRUE(mapped);
    EXPECT_NE(mprotect(mapped.mapping.data(), kHugePageBytes, PROT_READ | PROT_WRITE), 0);
    std::fill(lent.mapping.data(), lent.mapping.data() + lent.mapping.size(), std::uint8_t{7});
    EXPECT_EQ(mapped.mapping.data()[2 * kHugePageBytes - 1], 7);
  }
}

TEST(HugePages, FailWithoutASignalWhenTheReserveIsTooSmall) {
  const std::size_t before = free_pages();
  const auto lent = platform::make_exported_memory("test", (before + 1) * kHugePageBytes, Pages::hugetlb);
  EXPECT_FALSE(lent);
  EXPECT_TRUE(becomes_true([&] { return free_pages() >= before; })) << "reserved pages have leaked";
}

TEST(HugePages, WarnOnceWhenNotAvailable) {
  const std::vector<Pages> all = {Pages::hugetlb, Pages::transparent_huge, Pages::ordinary};
  std::vector<Pages> tried;
  const auto make = [&](Pages pages) {
    tried.push_back(pages);
    return pages == Pages::ordinary;
  };
  orbweaver::transport::enable_huge_pages(true);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(with_best_pages("a test", 4 * kHugePageBytes, HugePageReserve::may, make));
  const std::string log = testing::internal::GetCapturedStderr();
  orbweaver::transport::enable_huge_pages(false);
  EXPECT_EQ(tried.front(), Pages::hugetlb);
  EXPECT_EQ(tried.back(), Pages::ordinary);
  EXPECT_NE(log.find("no huge pages for a test, which takes 4 of 2 MiB"), std::string::npos) << log;
  EXPECT_NE(log.find("vm.nr_hugepages"), std::string::npos) << log;
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
  tried.clear();
  EXPECT_TRUE(with_best_pages("a test", kHugePageBytes, HugePageReserve::may, make));
  EXPECT_EQ(tried, std::vector<Pages>{Pages::ordinary}) << "huge pages are disabled";
}

}  // namespace
}  // namespace blocktest
