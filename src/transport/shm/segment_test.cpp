// Tests of segment layouts: both versions, and malformed segments.
#include "transport/shm/segment.h"

#include <gtest/gtest.h>

#include "transport/huge_pages.h"

namespace orbweaver::transport::shm {
namespace {

using platform::kHugePageBytes;

platform::Fd file_of(std::size_t bytes) { return std::move(platform::make_memory_file("test", bytes).fd); }

TEST(ShmSegment, OpensAHeaderOfAHugePage) {
  auto made = platform::make_memory_file("test", 3 * kHugePageBytes, platform::Pages::transparent_huge);
  ASSERT_TRUE(made);
  auto opened = Segment::open(std::move(made.fd), {kSegmentMagic, kHugeSegmentVersion, kHugePageBytes});
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->version(), kHugeSegmentVersion);
  EXPECT_EQ(opened->ring_bytes(), kHugePageBytes);
  const RingMemory in = opened->to_server(), out = opened->to_client();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(in.data) % kHugePageBytes, 0u);
  in.data[5] = 1;
  out.data[5] = 2;
  EXPECT_EQ(in.data[kHugePageBytes + 5], 1) << "mapped twice in a row";
  EXPECT_EQ(out.data[kHugePageBytes + 5], 2);
}

TEST(ShmSegment, RejectsARingSizeNotAMultipleOfThePage) {
  EXPECT_FALSE(Segment::open(file_of(kHugePageBytes + 2 * 4096), {kSegmentMagic, kHugeSegmentVersion, 4096}));
  EXPECT_FALSE(Segment::open(file_of(kHeaderBytes + 2 * kHugePageBytes),
                             {kSegmentMagic, kHugeSegmentVersion, kHugePageBytes}));
  EXPECT_FALSE(Segment::open(file_of(3 * kHugePageBytes), {kSegmentMagic, kSegmentVersion, kHugePageBytes}));
  EXPECT_FALSE(
      Segment::open(file_of(3 * kHugePageBytes), {kSegmentMagic, kHugeSegmentVersion + 1, kHugePageBytes}));
}

TEST(ShmSegment, IsUnavailableFromAServerOfAnotherByteOrder) {
  const Welcome welcome{__builtin_bswap32(kSegmentMagic), __builtin_bswap32(kSegmentVersion),
                        __builtin_bswap64(4096)};
  const auto opened = Segment::open(file_of(kHeaderBytes + 2 * 4096), welcome);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::unavailable);
  EXPECT_EQ(opened.error().message, "the shared-memory server has another byte order");
}

TEST(ShmSegment, UsesHugePagesWhereAvailable) {
  enable_huge_pages(true);
  auto made = Segment::make(65536);
  enable_huge_pages(false);
  ASSERT_TRUE(made) << made.error().message;
  const bool huge = platform::has_transparent_huge_pages();
  EXPECT_EQ(made->version(), huge ? kHugeSegmentVersion : kSegmentVersion);
  EXPECT_EQ(made->ring_bytes(), huge ? kHugePageBytes : 65536u);
}

}  // namespace
}  // namespace orbweaver::transport::shm
