// A ring is used in short laps while its reader keeps up, and as the buffer that it is while it does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <random>

#include "platform/memory.h"
#include "transport/shm/ring_reader.h"
#include "transport/shm/ring_writer.h"

namespace orbweaver::transport::shmem {
namespace {

constexpr std::size_t kRing = std::size_t{1} << 20;

/// A ring of its own, both ends in one thread: nothing may wait.
struct Laps : ::testing::Test {
  void make_memory() {
    const platform::FdResult file = platform::make_memory_file("orbweaver-test", kRing);
    ASSERT_TRUE(file);
    platform::MappingResult mapped = platform::map_shared(file.fd, {{0, kRing, 2}});
    ASSERT_TRUE(mapped);
    memory = std::move(mapped.mapping);
  }
  RingMemory ring() noexcept { return {&words, memory.data(), kRing, false}; }

  bool send(std::size_t bytes, std::uint8_t filling) {
    Result<MutableBytes> room = writer.claim(bytes, Deadline::in_ns(0));
    if (!room) return false;
    std::memset(room->data(), filling, bytes);
    writer.publish(bytes, Kind::frame);
    return true;
  }
  /// The place of the next frame in the ring; fails unless it is `bytes` of `filling`.
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

  platform::Mapping memory;
  RingWords words;
  RingLife life;
  RingWriter writer{(make_memory(), ring()), Wait::block, life};
  RingReader reader{ring(), Wait::block, life};
};

TEST_F(Laps, AReaderThatKeepsUpSeesTheSameLinesAgain) {
  for (const std::size_t bytes : {100, 1000, 4096}) {
    for (int i = 0; i < 5000; ++i) {
      ASSERT_TRUE(send(bytes, static_cast<std::uint8_t>(i)));
      ASSERT_LT(receive(bytes, static_cast<std::uint8_t>(i)), kLapBytes + 8192) << "frame " << i << " of " << bytes;
      if (HasFailure()) return;
    }
  }
}

TEST_F(Laps, AReaderThatTellsSoonSeesFewLines) {
  for (const std::size_t bytes : {100, 1000, 4096}) {
    std::size_t beyond = 0;
    for (int i = 0; i < 5000; ++i) {
      ASSERT_TRUE(send(bytes, static_cast<std::uint8_t>(i)));
      if (receive(bytes, static_cast<std::uint8_t>(i)) > lap_of(bytes) + bytes) ++beyond;
      // Nothing is there: a reader with nothing to do.
      ASSERT_FALSE(reader.receive(Deadline::in_ns(0)));
      if (HasFailure()) return;
    }
    EXPECT_LT(beyond, 20u) << "of " << bytes;  // what the size before has left
  }
}

TEST_F(Laps, ALaggingReaderHasTheWholeRing) {
  // It has kept up for a while, and then takes nothing: the frames go on behind.
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(send(1000, 1));
    receive(1000, 1);
  }
  ASSERT_TRUE(send(20'000, 2));  // longer than what may restart
  std::size_t sent = 0;
  while (send(1000, 3)) ++sent;
  EXPECT_GT(sent * 1024, kRing - 64 * 1024);
  receive(20'000, 2);
  for (; sent > 0; --sent) receive(1000, 3);
}

TEST_F(Laps, ALaggingReaderHasTheWholeRingWhereverItStands) {
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

TEST_F(Laps, AFullRingKeepsWhatIsReadNext) {
  // One line each, so that nothing is left over: behind the last there has to be one for the zero.
  const std::size_t line = kLine - kWordBytes;
  std::size_t sent = 0;
  while (send(line, static_cast<std::uint8_t>(sent))) ++sent;
  EXPECT_EQ(sent, kRing / kLine - 1);
  for (std::size_t i = 0; i < sent && !HasFailure(); ++i) receive(line, static_cast<std::uint8_t>(i));
}

TEST_F(Laps, TheBeginningIsNotZeroedBeforeItIsRead) {
  // Half a lap each: at the second the lap is full, and the first may still lie where a restart would begin.
  const std::size_t half = kLapBytes / 2 - kWordBytes;
  ASSERT_TRUE(send(half, 1));
  ASSERT_TRUE(send(half, 2));
  EXPECT_EQ(receive(half, 1), kWordBytes);
  receive(half, 2);
}

TEST_F(Laps, FramesArriveInOrderHoweverTheReaderLags) {
  std::mt19937 random(4711);
  std::deque<std::pair<std::size_t, std::uint8_t>> on_the_way;
  std::uint8_t filling = 0;
  for (int turn = 0; turn < 100'000; ++turn) {
    // Runs in which the reader keeps up, and runs in which it does not.
    const bool lagging = turn / 500 % 3 == 2;
    if (!on_the_way.empty() && random() % (lagging ? 3 : 1) == 0) {
      const auto [bytes, expected] = on_the_way.front();
      on_the_way.pop_front();
      receive(bytes, expected);
    } else if (const std::size_t bytes = random() % 12 == 0 ? random() % 30'000 : random() % 3000; send(bytes, ++filling)) {
      on_the_way.emplace_back(bytes, filling);
    } else {
      ASSERT_FALSE(on_the_way.empty()) << "no room in an empty ring";
      receive(on_the_way.front().first, on_the_way.front().second);
      on_the_way.pop_front();
    }
    if (HasFailure()) return;
  }
}

/// What a hostile writer stores: a frame of eight bytes at that position.
void put_word(std::uint8_t* data, std::size_t position, std::uint32_t flags = 0) {
  const std::uint64_t kind = static_cast<std::uint32_t>(Kind::frame) | flags;
  reinterpret_cast<std::atomic<std::uint64_t>*>(data + position)->store(kind << 32 | 16, std::memory_order_release);
}

TEST_F(Laps, ARestartOntoItsOwnWordEndsTheConnection) {
  put_word(memory.data(), 0, kThenRestart);
  const Result<RingReader::Piece> piece = reader.receive(Deadline::in_ns(0));
  ASSERT_FALSE(piece);
  EXPECT_EQ(piece.error().remedy, Remedy::reconnect);
}

TEST_F(Laps, ARestartBeforeTheReaderHasToldThatItIsFarEnoughEndsTheConnection) {
  put_word(memory.data(), 0);
  put_word(memory.data(), kLine, kThenRestart);
  ASSERT_TRUE(reader.receive(Deadline::in_ns(0)));
  reader.release();
  const Result<RingReader::Piece> piece = reader.receive(Deadline::in_ns(0));
  ASSERT_FALSE(piece);
  EXPECT_EQ(piece.error().remedy, Remedy::reconnect);
}

TEST_F(Laps, OfAPeerThatHasGoneOneRingIsReadAtMost) {
  // Every word says that there is a frame, so that the ring never ends.
  for (std::size_t at = 0; at < kRing; at += kLine) put_word(memory.data(), at);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(reader.receive(Deadline::in_ns(0)));
    reader.release();
  }
  life.peer_gone = true;
  std::size_t frames = 0;
  while (frames <= 2 * kRing / kLine && reader.receive(Deadline::in_ns(0))) {
    ++frames;
    reader.release();
  }
  EXPECT_LE(frames, kRing / kLine);
}

TEST_F(Laps, OfAPeerThatHasGoneAllThatItSentIsRead) {
  for (int lap = 0; lap < 3; ++lap) {
    std::size_t sent = 0;
    while (send(kLine - kWordBytes, 7)) ++sent;
    EXPECT_GT(sent, kRing / kLine / 2);
    if (lap == 2) life.peer_gone = true;
    for (; sent > 0 && !HasFailure(); --sent) receive(kLine - kWordBytes, 7);
  }
  EXPECT_FALSE(reader.receive(Deadline::in_ns(0)));
}

}  // namespace
}  // namespace orbweaver::transport::shmem
