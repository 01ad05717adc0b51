#include "platform/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>

namespace orbweaver::platform {
namespace {

constexpr std::size_t kBytes = 16384;

/// A memory file with these seals, all of whose memory is allocated.
Fd file_with(int seals, unsigned flags = 0, std::size_t bytes = kBytes) {
  Fd file(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING | flags));
  if (!file || ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) return {};
  if (fallocate(file.get(), 0, 0, static_cast<off_t>(bytes)) != 0) return {};
  if (fcntl(file.get(), F_ADD_SEALS, seals) != 0) return {};
  return file;
}
int punch(const Fd& file) {
  return fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096) == 0 ? 0 : errno;
}

TEST(MemoryFileDeathTest, BeyondTheFileSizeLimitIsAnErrorWithoutASignal) {
  const auto make = [] {
    const rlimit limit{kBytes, kBytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    if (!make_memory_file("test", kBytes)) _exit(1);
    _exit(make_memory_file("test", kBytes + 4096).error);
  };
  EXPECT_EXIT(make(), ::testing::ExitedWithCode(EFBIG), "");
}
TEST(MemoryFile, IsRejectedWithoutTheShrinkSeal) {
  EXPECT_EQ(check_memory_file(file_with(F_SEAL_SHRINK), kBytes), 0);
  EXPECT_EQ(check_memory_file(file_with(F_SEAL_GROW), kBytes), EPERM);
}

/// The size of an unsealed file is not reliable: its owner can still change it.
TEST(MemoryFile, IsCheckedForSealsBeforeSize) {
  EXPECT_EQ(check_memory_file(file_with(0), 2 * kBytes), EPERM) << "another size, and unsealed";
  EXPECT_EQ(check_imported_memory(file_with(F_SEAL_FUTURE_WRITE), 2 * kBytes), EPERM);
  EXPECT_EQ(check_memory_file(file_with(F_SEAL_SHRINK), 2 * kBytes), EINVAL);
  EXPECT_EQ(check_imported_memory(file_with(F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE), 2 * kBytes), EINVAL);
}

TEST(MemoryFile, IsRejectedFromAPeerWithHugetlbPages) {
  const Fd file = file_with(F_SEAL_SHRINK, MFD_HUGETLB, kHugePageBytes);
  if (!file) GTEST_SKIP() << "this system has no reserve of huge pages";
  EXPECT_EQ(check_memory_file(file, kHugePageBytes), EINVAL);
}

TEST(MemoryFile, IsRejectedWithHoles) {
  const Fd file = file_with(F_SEAL_SHRINK);
  ASSERT_EQ(punch(file), 0);
  EXPECT_EQ(check_memory_file(file, kBytes), ENODATA);
}

TEST(MemoryFile, RejectsHolesAfterTheSeal) {
  FdResult file = make_memory_file("test", kBytes);
  ASSERT_TRUE(file);
  MappingResult own = map_shared(file.fd, {{0, kBytes, 1}}), peers = map_shared(file.fd, {{0, kBytes, 1}});
  std::memset(own.mapping.data(), 7, kBytes);
  ASSERT_EQ(forbid_hole_punching(file.fd, kBytes), 0);
  EXPECT_EQ(punch(file.fd), EPERM);
  EXPECT_NE(madvise(peers.mapping.data(), kBytes, MADV_REMOVE), 0) << "through a mapping";
  EXPECT_EQ(own.mapping.data()[0], 7);
  peers.mapping.data()[0] = 8;  // existing mappings stay writable
  EXPECT_EQ(own.mapping.data()[0], 8);
}

TEST(MemoryFile, IsRejectedWithHolesPunchedBeforeTheSeal) {
  FdResult file = make_memory_file("test", kBytes);
  ASSERT_TRUE(file);
  const MappingResult mapped = map_shared(file.fd, {{0, kBytes, 1}});
  ASSERT_EQ(punch(file.fd), 0);
  EXPECT_EQ(forbid_hole_punching(file.fd, kBytes), ENODATA);
}

TEST(MemoryFile, IsAcceptedWhenItCannotBeSealed) {
  const Fd file = file_with(F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  EXPECT_EQ(forbid_hole_punching(file, kBytes), 0);
}

/// Pages of the mapping that have an entry in the page tables of this process.
std::size_t mapped_pages(const Mapping& mapping) {
  const Fd entries(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  std::size_t present = 0;
  for (std::size_t at = 0; at < mapping.size(); at += page_bytes()) {
    std::uint64_t entry = 0;
    const auto page = reinterpret_cast<std::uintptr_t>(mapping.data() + at) / page_bytes();
    EXPECT_EQ(pread(entries.get(), &entry, sizeof entry, static_cast<off_t>(page * sizeof entry)), 8);
    present += static_cast<std::size_t>(entry >> 63) & 1;
  }
  return present;
}

TEST(MemoryFile, IsMappedWithPopulatedPageTables) {
  const FdResult file = make_memory_file("test", 1 << 20);
  ASSERT_TRUE(file);
  const MappingResult mapped = map_shared(file.fd, {{0, 1 << 20, 2}});
  EXPECT_EQ(mapped_pages(mapped.mapping), (2 << 20) / page_bytes());
}

TEST(MemoryFile, IsMappedWithPageTablesOfItsBeginning) {
  constexpr std::size_t kBegin = 65536;
  const FdResult file = make_memory_file("test", 1 << 20);
  ASSERT_TRUE(file);
  const MappingResult mapped = map_shared(file.fd, {{0, 1 << 20, 2, kBegin}});
  EXPECT_GE(mapped_pages(mapped.mapping), kBegin / page_bytes());
  EXPECT_LE(mapped_pages(mapped.mapping), 2 * kBegin / page_bytes()) << "the kernel maps some pages around";
  mapped.mapping.data()[(1 << 20) - 1] = 7;
  EXPECT_EQ(mapped.mapping.data()[(2 << 20) - 1], 7) << "the second mapping";
}

/// A process that cannot seal the segment, its creator, reads zeros in a hole.
TEST(MemoryFile, ReadsZerosInAPunchedHole) {
  const Fd file = file_with(F_SEAL_SHRINK);
  const MappingResult mapped = map_shared(file, {{0, kBytes, 1}});
  std::memset(mapped.mapping.data(), 7, kBytes);
  ASSERT_EQ(punch(file), 0);
  EXPECT_EQ(mapped.mapping.data()[0], 0);
  mapped.mapping.data()[0] = 9;
  EXPECT_EQ(mapped.mapping.data()[0], 9);
}

}  // namespace
}  // namespace orbweaver::platform
