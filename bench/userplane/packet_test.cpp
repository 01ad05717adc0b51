// Packets are verified, and counted between the marks of their point.
#include "bench/userplane/packet.h"

#include <gtest/gtest.h>

#include <vector>

#include "bench/harness/scratch.h"

namespace orbweaver::bench {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// A sender and a receiver without a transport between them.
class Packets : public ::testing::Test {
 protected:
  Packets() { board_.set_sizes(sizes_of({"", {{16, 16, 50}, {100, 1500, 50}}})); }

  Bytes next(PacketKind kind = PacketKind::data, std::uint32_t point = 0) {
    const auto packet = writer_.next(point, kind);
    return {packet.begin(), packet.end()};
  }
  /// The reception after these packets, between two marks.
  Reception received(const std::vector<Bytes>& packets) {
    for (const Bytes& packet : packets) check_.take(packet);
    check_.take(next(PacketKind::end));
    EXPECT_TRUE(board_.wait_for(ended(0), {})) << "the end was not published";
    return board_.reception(0);
  }

  Scratch scratch_;
  UserplaneBoard board_{scratch_.path() + "/board", UserplaneBoard::Mode::create};
  PacketWriter writer_{board_.sizes()};
  PacketCheck check_{board_};
};

TEST_F(Packets, AreCountedBetweenTheMarks) {
  const Bytes begin = next(PacketKind::begin), a = next(), b = next();
  const Reception r = received({begin, a, b});
  EXPECT_EQ(r.packets, 2u);
  EXPECT_EQ(r.bytes, a.size() + b.size());
  EXPECT_EQ(r.wrong + r.reordered, 0u);
  EXPECT_GE(r.ended_ns, r.began_ns);
  EXPECT_GE(r.ended_cpu_ns, r.began_cpu_ns);
  EXPECT_GE(r.ended_wait_ns, r.began_wait_ns);
}

TEST_F(Packets, HaveTheSizesOfTheBoard) {
  for (std::size_t i = 0; i < 2 * board_.sizes().size(); ++i)
    ASSERT_EQ(next().size(), board_.sizes()[i % board_.sizes().size()]);
}

TEST_F(Packets, OfOneSizeDiffer) {
  const Bytes begin = next(PacketKind::begin);
  Bytes small = next();
  while (small.size() != 16) small = next();
  Bytes other = next();
  while (other.size() != 16) other = next();
  EXPECT_NE(Bytes(small.begin() + 12, small.end()), Bytes(other.begin() + 12, other.end()));
}

TEST_F(Packets, WithOneChangedByteAreWrong) {
  const Bytes begin = next(PacketKind::begin);
  Bytes last = next(), first = next();
  last.back() ^= 1;
  first[sizeof(PacketHeader)] ^= 0x80;
  EXPECT_EQ(received({begin, last, first}).wrong, 2u);
}

TEST_F(Packets, OfAnotherSizeAreWrong) {
  const Bytes begin = next(PacketKind::begin);
  Bytes shorter = next(), longer = next(), empty = next();
  shorter.pop_back();
  longer.push_back(0);
  empty.clear();
  EXPECT_EQ(received({begin, shorter, longer, empty}).wrong, 3u);
}

TEST_F(Packets, ThatAreMissingAreNotReordered) {
  const Bytes begin = next(PacketKind::begin), a = next(), lost = next(), c = next();
  const Reception r = received({begin, a, c});
  EXPECT_EQ(r.packets, 2u);
  EXPECT_EQ(r.reordered, 0u);
}

TEST_F(Packets, BehindLaterOnesAreReordered) {
  const Bytes begin = next(PacketKind::begin), a = next(), b = next(), c = next();
  EXPECT_EQ(received({begin, b, a, c}).reordered, 1u);
}

TEST_F(Packets, ThatArriveTwiceAreReordered) {
  const Bytes begin = next(PacketKind::begin), a = next();
  EXPECT_EQ(received({begin, a, a}).reordered, 1u);
}

TEST_F(Packets, OfAnotherPointAreNotCounted) {
  const Bytes early = next(), begin = next(PacketKind::begin), other = next(PacketKind::data, 7);
  EXPECT_EQ(received({early, begin, other}).packets, 0u);
}

TEST_F(Packets, DoNotEndAPointTwice) {
  const Bytes begin = next(PacketKind::begin), again = next(PacketKind::begin), a = next();
  EXPECT_EQ(received({begin, a, again}).packets, 1u) << "the second begin started the point again";
  check_.take(next(PacketKind::begin));
  check_.take(next());
  check_.take(next(PacketKind::end));
  EXPECT_EQ(board_.reception(0).packets, 1u);
}

TEST_F(Packets, AnnounceTheSizeOfTheNextOne) {
  check_.take(next(PacketKind::begin));
  for (int i = 0; i < 100; ++i) {
    const Bytes packet = next();
    ASSERT_EQ(check_.next_bytes(), packet.size());
    check_.take(packet);
  }
}

TEST_F(Packets, MarksThatDoNotArriveEndAWait) {
  EXPECT_FALSE(board_.wait_for(begun(0), std::chrono::microseconds(1)));
  check_.take(next(PacketKind::begin));
  EXPECT_TRUE(board_.wait_for(begun(0), {}));
  EXPECT_FALSE(board_.wait_for(ended(0), {}));
}

}  // namespace
}  // namespace orbweaver::bench
