#include "platform/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace orbweaver::platform {
namespace {

constexpr std::size_t kBytes = 16384;

/// A memory file with these seals, all of whose memory is taken.
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

TEST(MemoryFile, IsRefusedUnlessItIsSealedAgainstShrinking) {
  EXPECT_EQ(check_memory_file(file_with(F_SEAL_SHRINK), kBytes), 0);
  EXPECT_EQ(check_memory_file(file_with(F_SEAL_GROW), kBytes), EPERM);
}

/// Before the seal the size means nothing: its owner may change it until then.
TEST(MemoryFile, IsAskedForItsSealsBeforeItsSize) {
  EXPECT_EQ(check_memory_file(file_with(0), 2 * kBytes), EPERM) << "another size, and unsealed";
  EXPECT_EQ(check_lent_memory(file_with(F_SEAL_FUTURE_WRITE), 2 * kBytes), EPERM);
  EXPECT_EQ(check_memory_file(file_with(F_SEAL_SHRINK), 2 * kBytes), EINVAL);
  EXPECT_EQ(check_lent_memory(file_with(F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE), 2 * kBytes), EINVAL);
}

TEST(MemoryFile, OfReservedHugePagesIsRefusedFromAPeer) {
  const Fd file = file_with(F_SEAL_SHRINK, MFD_HUGETLB, kHugePageBytes);
  if (!file) GTEST_SKIP() << "this system has no reserve of huge pages";
  EXPECT_EQ(check_memory_file(file, kHugePageBytes), EINVAL);
}

TEST(MemoryFile, WithHolesIsRefused) {
  const Fd file = file_with(F_SEAL_SHRINK);
  ASSERT_EQ(punch(file), 0);
  EXPECT_EQ(check_memory_file(file, kBytes), ENODATA);
}

TEST(MemoryFile, IsSafeFromHolesOnceItIsSealedAgainstThem) {
  FdResult made = make_memory_file("test", kBytes);
  ASSERT_TRUE(made);
  MappingResult own = map_shared(made.fd, {{0, kBytes, 1}}), peers = map_shared(made.fd, {{0, kBytes, 1}});
  std::memset(own.mapping.data(), 7, kBytes);
  ASSERT_EQ(seal_holes(made.fd, kBytes), 0);
  EXPECT_EQ(punch(made.fd), EPERM);
  EXPECT_NE(madvise(peers.mapping.data(), kBytes, MADV_REMOVE), 0) << "through a mapping";
  EXPECT_EQ(own.mapping.data()[0], 7);
  peers.mapping.data()[0] = 8;  // the mappings that there are stay as they were
  EXPECT_EQ(own.mapping.data()[0], 8);
}

TEST(MemoryFile, IsRefusedWhereHolesWerePunchedBeforeTheSeal) {
  FdResult made = make_memory_file("test", kBytes);
  ASSERT_TRUE(made);
  const MappingResult mapped = map_shared(made.fd, {{0, kBytes, 1}});
  ASSERT_EQ(punch(made.fd), 0);
  EXPECT_EQ(seal_holes(made.fd, kBytes), ENODATA);
}

TEST(MemoryFile, ThatMayNotBeSealedFurtherStaysAsItIs) {
  const Fd file = file_with(F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  EXPECT_EQ(seal_holes(file, kBytes), 0);
}

/// What a process that cannot seal, the maker of a segment, sees of a hole.
TEST(MemoryFile, GivesZerosWhereAHoleWasPunchedUnderAMapping) {
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
