#include <algorithm>
#include <map>

#include "transport/testing/contract.h"

/// Delivery: a frame arrives complete, unchanged, once, and in commit order.
namespace orbweaver::transport::testing {

TEST_P(TransportContract, DeliversFramesUnchanged) {
  Ends ends = connected();
  std::uint32_t sequence = 0;
  for (const std::size_t bytes : {12, 13, 16, 19, 20, 127, 128, 4095, 4096, 16'000}) {
    ASSERT_TRUE(ok(send_frame(*ends.near, bytes, sequence)));
    ASSERT_TRUE(receives(*ends.far, bytes, sequence));
    ++sequence;
  }
}

TEST_P(TransportContract, DeliversRepeatedFramesUnchanged) {
  Ends ends = connected();
  std::map<std::pair<std::uint32_t, std::size_t>, std::vector<std::uint8_t>> frames;
  for (const std::uint32_t sequence : {1, 2}) {
    for (const std::size_t bytes : {64, 200, 2000}) {
      std::vector<std::uint8_t>& frame = frames[{sequence, bytes}];
      frame.resize(bytes);
      write_frame(MutableBytes(frame), sequence);
    }
  }
  for (const std::uint32_t sequence : {1, 1, 1, 2, 2, 1}) {
    for (const std::size_t bytes : {64, 64, 64, 200, 200, 2000, 2000, 64}) {
      for (int repeats = 0; repeats < 4; ++repeats) {
        const std::vector<std::uint8_t>& octets = frames[{sequence, bytes}];
        auto room = ends.near->claim(bytes, Deadline::never());
        ASSERT_TRUE(ok(room));
        std::copy(octets.begin(), octets.end(), room->begin());
        ASSERT_TRUE(ok(ends.near->commit(bytes, Deadline::never())));
        ASSERT_TRUE(receives(*ends.far, bytes, sequence));
      }
    }
  }
}

TEST_P(TransportContract, DeliversEverySizeInOrder) {
  ORBWEAVER_NEEDS_RELIABILITY();
  for (const WaitStrategy wait : kEveryWait) {
    SCOPED_TRACE(to_string(wait));
    Ends ends = connected(wait);
    constexpr std::uint32_t kSeed = 4711;
    const std::uint32_t frames = times(wait, 2000);
    std::thread sending([&] {
      FrameSizes sizes(kSeed, kRingBytes);
      for (std::uint32_t i = 0; i < frames; ++i) ASSERT_TRUE(ok(send_frame(*ends.near, sizes.next(), i)));
    });
    FrameSizes sizes(kSeed, kRingBytes);
    for (std::uint32_t i = 0; i < frames; ++i) {
      if (::testing::AssertionResult good = receives(*ends.far, sizes.next(), i); !good) {
        ADD_FAILURE() << good.message();
        break;
      }
    }
    ends.far->close();
    sending.join();
  }
}

TEST_P(TransportContract, EchoesEveryFrame) {
  for (const WaitStrategy wait : kEveryWait) {
    SCOPED_TRACE(to_string(wait));
    Ends ends = connected(wait);
    Echo echo(*ends.far);
    FrameSizes sizes(1, 2048);
    for (std::uint32_t i = 0; i < times(wait, 500); ++i) {
      const std::size_t bytes = sizes.next();
      EXPECT_TRUE(ok(send_frame(*ends.near, bytes, i)));
      EXPECT_TRUE(receives(*ends.near, bytes, i));
      if (HasFailure()) break;
    }
    ends.near->close();
  }
}

TEST_P(TransportContract, CarriesBothDirectionsAtOnce) {
  ORBWEAVER_NEEDS_RELIABILITY();
  Ends ends = connected();
  const auto send_run = [](Channel& channel, std::uint32_t seed) {
    FrameSizes sizes(seed, kRingBytes);
    for (std::uint32_t i = 0; i < 500; ++i) ASSERT_TRUE(ok(send_frame(channel, sizes.next(), i)));
  };
  const auto receive_run = [](Channel& channel, std::uint32_t seed) {
    FrameSizes sizes(seed, kRingBytes);
    for (std::uint32_t i = 0; i < 500; ++i) ASSERT_TRUE(receives(channel, sizes.next(), i));
  };
  std::thread near_sends([&] { send_run(*ends.near, 1); });
  std::thread far_sends([&] { send_run(*ends.far, 2); });
  std::thread near_receives([&] { receive_run(*ends.near, 2); });
  receive_run(*ends.far, 1);
  near_receives.join();
  far_sends.join();
  near_sends.join();
}

TEST_P(TransportContract, DeliversFramesLargerThanItsBuffers) {
  ORBWEAVER_NEEDS_RELIABILITY();
  Ends ends = connected();
  std::thread sending([&] {
    for (std::uint32_t i = 0; i < 4; ++i) ASSERT_TRUE(ok(send_frame(*ends.near, kMaxFrameBytes - i, i)));
  });
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_TRUE(receives(*ends.far, kMaxFrameBytes - i, i));
  sending.join();
}

TEST_P(TransportContract, CommitsLessThanClaimed) {
  Ends ends = connected();
  for (std::uint32_t i = 0; i < max_in_flight(); ++i) {
    Result<MutableBytes> room = ends.near->claim(4000, Deadline::never());
    ASSERT_TRUE(ok(room));
    ASSERT_GE(room->size(), 4000u);
    write_frame(room->first(20 + i), i);
    ASSERT_TRUE(ok(ends.near->commit(20 + i, Deadline::never())));
  }
  for (std::uint32_t i = 0; i < max_in_flight(); ++i) ASSERT_TRUE(receives(*ends.far, 20 + i, i));
}

TEST_P(TransportContract, SendsNothingForAnAbandonedClaim) {
  Ends ends = connected();
  for (const std::size_t bytes : {std::size_t{100}, kRingBytes / 2, 2 * kRingBytes}) {
    Result<MutableBytes> room = ends.near->claim(bytes, Deadline::never());
    ASSERT_TRUE(ok(room));
    write_frame(room->first(100), 999);
    ends.near->abandon();
    ASSERT_TRUE(ok(send_frame(*ends.near, 50, 1)));
    ASSERT_TRUE(receives(*ends.far, 50, 1));
  }
}

TEST_P(TransportContract, AlignsFramesToEight) {
  Ends ends = connected();
  for (std::uint32_t i = 0; i < std::min(64u, max_in_flight()); ++i) {
    Result<MutableBytes> room = ends.near->claim(13 + i, Deadline::never());
    ASSERT_TRUE(ok(room));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(room->data()) % 8, 0u) << "claimed";
    write_frame(room->first(13 + i), i);
    ASSERT_TRUE(ok(ends.near->commit(13 + i, Deadline::never())));
  }
  for (std::uint32_t i = 0; i < std::min(64u, max_in_flight()); ++i) {
    const Result<Bytes> frame = ends.far->receive(hang_deadline());
    ASSERT_TRUE(ok(frame));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(frame->data()) % 8, 0u) << "received";
    EXPECT_TRUE(is_frame(*frame, 13 + i, i));
    ends.far->release();
  }
}

TEST_P(TransportContract, KeepsAReceivedFrameUntilRelease) {
  ORBWEAVER_NEEDS_RELIABILITY();
  Ends ends = connected();
  ASSERT_TRUE(ok(send_frame(*ends.near, 3000, 0)));
  const Result<Bytes> held = ends.far->receive(hang_deadline());
  ASSERT_TRUE(ok(held));
  WaitingThread sending([&] {
    for (std::uint32_t i = 1; i < 100; ++i) ASSERT_TRUE(ok(send_frame(*ends.near, 3000, i)));
  });
  sending.waits();  // unless the buffers hold that much
  EXPECT_TRUE(is_frame(*held, 3000, 0));
  ends.far->release();
  for (std::uint32_t i = 1; i < 100; ++i) EXPECT_TRUE(receives(*ends.far, 3000, i));
  sending.join();
}

}  // namespace orbweaver::transport::testing
