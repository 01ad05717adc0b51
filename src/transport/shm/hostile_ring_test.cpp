// Tests against a peer that writes arbitrary values into a ring's shared words, at the worst moments.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "transport/ring/ring_frames.h"
#include "transport/shm/ring_writer.h"
#include "transport/shm/segment.h"
#include "transport/testing/ends.h"

namespace orbweaver::transport::shm {
namespace {

/// A segment mapped twice in this process: once for each end.
struct TwoMappings {
  TwoMappings() {
    auto made = Segment::make(4096);
    const Welcome welcome{kSegmentMagic, kSegmentVersion, made->ring_bytes()};
    auto opened = Segment::open(platform::Fd(dup(made->file().get())), welcome);
    ours = std::move(*made);
    theirs = std::move(*opened);
  }
  Segment ours, theirs;
};

/// Stores one value into a word (and, with kAwake, wakes its sleepers) repeatedly until its destruction.
class RepeatingStore {
 public:
  RepeatingStore(std::atomic<std::uint32_t>& word, std::uint32_t value)
      : thread_([this, &word, value] {
          while (!stop_) {
            word.store(value);
            if (value != kAwake) continue;
            platform::futex_wake(&word, 1, true);
            std::this_thread::yield();  // the woken thread of this process needs the processor
          }
        }) {}
  ~RepeatingStore() {
    stop_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

TEST(HostileRing, WakesASleeperWhoseStateThePeerOverwrites) {
  // The worst moment: after the word was cleared to wake the thread, and before it sleeps.
  std::atomic<std::uint32_t> word{kAsleep};
  std::atomic<bool> looked{false};
  FutexSleeper sleeper;
  std::thread sleeping([&] {
    const FutexSleeper::Scope scope(sleeper);
    looked = true;  // the connection state, which is unchanged
    while (word != kAwake) std::this_thread::yield();
    word = kAsleep;  // the peer's store
    // Woken, or not asleep yet when the word was cleared again.
    EXPECT_NE(platform::futex_wait(&word, kAsleep, Deadline::in_ms(120'000), true),
              platform::FutexWait::timeout);
  });
  while (!looked) std::this_thread::yield();
  sleeper.wake(word, true);
  sleeping.join();
}

TEST(HostileRing, DisconnectsAPeerThatWakesTheWriterWithoutReading) {
  TwoMappings segment;
  RingConnectionState connection;
  connection.max_spurious_wakeups = 20;  // each takes a turn of both threads on the processor
  RingWriter writer(segment.ours.to_client(), WaitStrategy::block, connection);
  const RepeatingStore hostile(segment.theirs.to_client().words->writer_state, kAwake);
  for (;;) {
    auto room = writer.claim(1000, Deadline::never());
    if (!room) {
      EXPECT_EQ(room.error().kind, ErrorKind::disconnected) << room.error().message;
      break;
    }
    writer.publish(1000, FrameKind::frame);
  }
}

TEST(HostileRing, RejectsAFrameOfNoBytes) {
  TwoMappings segment;
  RingConnectionState connection;
  RingFrames frames(segment.ours.to_client(), segment.ours.to_server(),
                    orbweaver::transport::testing::options_for(), connection);
  // The first word of a new segment, whose other words are 0: a frame of the word alone.
  const std::uint64_t word = std::uint64_t{1} << 32 | 8;
  std::memcpy(segment.theirs.to_server().data, &word, sizeof word);
  const Result<Bytes> frame = frames.receive(Deadline::in_ms(120'000));
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().kind, ErrorKind::disconnected) << frame.error().message;
}

/// Writes words all around the ring that are never zeroed: each of the parts, up to the largest frame, could
/// be added to a buffer that grows by it.
void fill_with_parts(const RingMemory& ring) {
  const std::uint64_t word = std::uint64_t{static_cast<std::uint32_t>(FrameKind::part)} << 32 | kLine;
  for (std::size_t at = 0; at < ring.bytes; at += kLine) std::memcpy(ring.data + at, &word, sizeof word);
}

TEST(HostileRing, RejectsPartsWithoutAHeaderAtOnce) {
  TwoMappings segment;
  RingConnectionState connection;
  RingFrames frames(segment.ours.to_client(), segment.ours.to_server(),
                    orbweaver::transport::testing::options_for(), connection);
  fill_with_parts(segment.theirs.to_server());
  const Result<Bytes> frame = frames.receive(Deadline::in_ms(120'000));
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().kind, ErrorKind::disconnected);
  EXPECT_EQ(frame.error().message, "no 'TEST' where a frame begins");
}

TEST(HostileRing, RejectsMorePartsThanTheHeaderAnnouncesAtOnce) {
  TwoMappings segment;
  RingConnectionState connection;
  RingFrames frames(segment.ours.to_client(), segment.ours.to_server(),
                    orbweaver::transport::testing::options_for(), connection);
  fill_with_parts(segment.theirs.to_server());
  orbweaver::transport::testing::write_header(segment.theirs.to_server().data + sizeof(std::uint64_t), 100,
                                              1);
  const Result<Bytes> frame = frames.receive(Deadline::in_ms(120'000));
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().kind, ErrorKind::disconnected);
  EXPECT_EQ(frame.error().message.rfind("a frame announced 100 bytes and has at least ", 0), 0u)
      << frame.error().message;
}

TEST(HostileRing, HasGuardPagesAroundTheSegment) {
  TwoMappings segment;
  const std::uint8_t* const begin = segment.ours.to_server().data - kHeaderBytes;
  const std::uint8_t* const end = segment.ours.to_client().data + 2 * segment.ours.ring_bytes();
  EXPECT_DEATH((void)*static_cast<const volatile std::uint8_t*>(begin - 1), "");
  EXPECT_DEATH((void)*static_cast<const volatile std::uint8_t*>(end), "");
}

TEST(HostileRing, RejectsASparseSegment) {
  // Touching a hole allocates memory charged to the process that touches it: 2 GiB for the price of a
  // descriptor.
  constexpr std::size_t kRing = std::size_t{1} << 30;
  platform::Fd sparse(memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(sparse.get(), kHeaderBytes + 2 * kRing), 0);
  ASSERT_EQ(fcntl(sparse.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
  auto opened = Segment::open(std::move(sparse), {kSegmentMagic, kSegmentVersion, kRing});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::disconnected);
}

}  // namespace
}  // namespace orbweaver::transport::shm
