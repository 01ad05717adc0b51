// Tests of laps: a ring reuses its beginning while the reader keeps up, and is used completely while it lags.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

#include "transport/shm/testing/ring_in_memory.h"

namespace orbweaver::transport::shm {
namespace {

using testing::kRing;

/// Both ends in one thread: no call may wait.
struct RingLaps : testing::RingInMemory {
  /// Returns the position of the next frame in the ring; fails unless it has `bytes` of `filling`.
  std::size_t receive(std::size_t bytes, std::uint8_t filling) {
    Result<RingReader::Piece> piece = reader.receive(Deadline::in_ns(0));
    if (!piece || piece->bytes.size() != bytes) {
      ADD_FAILURE() << (piece ? std::to_string(piece->bytes.size()) + " bytes" : piece.error().message);
      return 0;
    }
    EXPECT_TRUE(std::all_of(piece->bytes.begin(), piece->bytes.end(), [&](auto b) { return b == filling; }));
    const auto place = static_cast<std::size_t>(piece->bytes.data() - memory.data());
    reader.release();
    return place;
  }
};

TEST_F(RingLaps, ReusesLinesWhileTheReaderKeepsUp) {
  for (const std::size_t bytes : {100, 1000, 4096}) {
    for (int i = 0; i < 5000; ++i) {
      ASSERT_TRUE(send(bytes, static_cast<std::uint8_t>(i)));
      ASSERT_LT(receive(bytes, static_cast<std::uint8_t>(i)), kLapBytes + 8192)
          << "frame " << i << " of " << bytes;
      if (HasFailure()) return;
    }
  }
}

TEST_F(RingLaps, UsesFewLinesForAnEagerReader) {
  for (const std::size_t bytes : {100, 1000, 4096}) {
    std::size_t beyond = 0;
    for (int i = 0; i < 5000; ++i) {
      ASSERT_TRUE(send(bytes, static_cast<std::uint8_t>(i)));
      if (receive(bytes, static_cast<std::uint8_t>(i)) > lap_of(bytes) + bytes) ++beyond;
      // No frame is there: the reader is idle.
      ASSERT_FALSE(reader.receive(Deadline::in_ns(0)));
      if (HasFailure()) return;
    }
    EXPECT_LT(beyond, 20u) << "of " << bytes;  // left by the previous size
  }
}

TEST_F(RingLaps, UsesTheWholeRingForALaggingReader) {
  // The reader has kept up for a while, and then stops: the frames continue behind the lap.
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(send(1000, 1));
    receive(1000, 1);
  }
  ASSERT_TRUE(send(20'000, 2));  // too long for a restart
  std::size_t sent = 0;
  while (send(1000, 3)) ++sent;
  EXPECT_GT(sent * 1024, kRing - 64 * 1024);
  receive(20'000, 2);
  for (; sent > 0; --sent) receive(1000, 3);
}

TEST_F(RingLaps, UsesTheWholeRingFromAnyReaderPosition) {
  for (int kept_up = 0; kept_up < 16; ++kept_up) {
    for (int i = 0; i < kept_up; ++i) {
      ASSERT_TRUE(send(1000, 1));
      receive(1000, 1);
    }
    ASSERT_TRUE(send(20'000, 2));
    std::size_t sent = 0;
    while (send(1000, 3)) ++sent;
    EXPECT_GT(sent * 1024, kRing - 64 * 1024) << "after " << kept_up;
    receive(20'000, 2);
    for (; sent > 0; --sent) receive(1000, 3);
    if (HasFailure()) return;
  }
}

TEST_F(RingLaps, PreservesTheNextFrameWhenFull) {
  // One line each, so that no space is left over: the zero word needs one line behind the last frame.
  const std::size_t line = kLine - kWordBytes;
  std::size_t sent = 0;
  while (send(line, static_cast<std::uint8_t>(sent))) ++sent;
  EXPECT_EQ(sent, kRing / kLine - 1);
  for (std::size_t i = 0; i < sent && !HasFailure(); ++i) receive(line, static_cast<std::uint8_t>(i));
}

TEST_F(RingLaps, DoesNotZeroUnreadFramesOnWrap) {
  // Half a lap each: at the second frame the lap is full, and the first may still be where a restart would
  // begin.
  const std::size_t half = kLapBytes / 2 - kWordBytes;
  ASSERT_TRUE(send(half, 1));
  ASSERT_TRUE(send(half, 2));
  EXPECT_EQ(receive(half, 1), kWordBytes);
  receive(half, 2);
}

TEST_F(RingLaps, KeepsOrderHoweverTheReaderLags) {
  std::mt19937 random(4711);
  std::deque<std::pair<std::size_t, std::uint8_t>> on_the_way;
  std::uint8_t filling = 0;
  for (int turn = 0; turn < 100'000; ++turn) {
    // Alternates between a reader that keeps up and one that lags.
    const bool lagging = turn / 500 % 3 == 2;
    if (!on_the_way.empty() && random() % (lagging ? 3 : 1) == 0) {
      const auto [bytes, expected] = on_the_way.front();
      on_the_way.pop_front();
      receive(bytes, expected);
    } else if (const std::size_t bytes = random() % 12 == 0 ? random() % 30'000 : random() % 3000;
               send(bytes, ++filling)) {
      on_the_way.emplace_back(bytes, filling);
    } else {
      ASSERT_FALSE(on_the_way.empty()) << "no room in an empty ring";
      receive(on_the_way.front().first, on_the_way.front().second);
      on_the_way.pop_front();
    }
    if (HasFailure()) return;
  }
}

/// Stores what a hostile writer would: a frame word of eight bytes at that position.
void put_word(std::uint8_t* data, std::size_t position, std::uint32_t flags = 0) {
  const std::uint64_t kind = static_cast<std::uint32_t>(FrameKind::frame) | flags;
  reinterpret_cast<std::atomic<std::uint64_t>*>(data + position)
      ->store(kind << 32 | 16, std::memory_order_release);
}

TEST_F(RingLaps, DisconnectsOnAWrapOntoItsOwnWord) {
  put_word(memory.data(), 0, kWrap);
  const Result<RingReader::Piece> piece = reader.receive(Deadline::in_ns(0));
  ASSERT_FALSE(piece);
  EXPECT_EQ(piece.error().kind, ErrorKind::disconnected);
}

TEST_F(RingLaps, DisconnectsOnAWrapBeyondThePublishedPosition) {
  put_word(memory.data(), 0);
  put_word(memory.data(), kLine, kWrap);
  ASSERT_TRUE(reader.receive(Deadline::in_ns(0)));
  reader.release();
  const Result<RingReader::Piece> piece = reader.receive(Deadline::in_ns(0));
  ASSERT_FALSE(piece);
  EXPECT_EQ(piece.error().kind, ErrorKind::disconnected);
}

TEST_F(RingLaps, ReadsAtMostOneRingAfterDisconnect) {
  // Every word announces a frame, so that the reader never finds the end.
  for (std::size_t at = 0; at < kRing; at += kLine) put_word(memory.data(), at);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(reader.receive(Deadline::in_ns(0)));
    reader.release();
  }
  connection.mark_peer_disconnected();
  std::size_t frames = 0;
  while (frames <= 2 * kRing / kLine && reader.receive(Deadline::in_ns(0))) {
    ++frames;
    reader.release();
  }
  EXPECT_LE(frames, kRing / kLine);
}

TEST_F(RingLaps, ReadsAllSentFramesAfterDisconnect) {
  for (int lap = 0; lap < 3; ++lap) {
    std::size_t sent = 0;
    while (send(kLine - kWordBytes, 7)) ++sent;
    EXPECT_GT(sent, kRing / kLine / 2);
    if (lap == 2) connection.mark_peer_disconnected();
    for (; sent > 0 && !HasFailure(); --sent) receive(kLine - kWordBytes, 7);
  }
  EXPECT_FALSE(reader.receive(Deadline::in_ns(0)));
}

}  // namespace
}  // namespace orbweaver::transport::shm
