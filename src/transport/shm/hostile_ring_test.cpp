// A peer that writes what it likes into the words of a ring, at the moments that are worst for this end.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <thread>

#include "transport/shm/ring_writer.h"
#include "transport/shm/segment.h"

namespace orbweaver::transport::shmem {
namespace {

/// A segment mapped twice in this process: ours and the peer's.
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

/// Writes one value into a word (and, with kAwake, wakes who sleeps there), over and over, until it is destroyed.
class Insisting {
 public:
  Insisting(std::atomic<std::uint32_t>& word, std::uint32_t value)
      : thread_([this, &word, value] {
          while (!stop_) {
            word.store(value);
            if (value != kAwake) continue;
            platform::futex_wake(&word, 1, true);
            std::this_thread::yield();  // it wakes a thread of this process, which needs the processor
          }
        }) {}
  ~Insisting() {
    stop_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

TEST(HostileRing, ASleeperIsRousedThoughThePeerSaysAgainThatItSleeps) {
  // The worst moment: after the word was cleared to wake it, and before it sleeps.
  std::atomic<std::uint32_t> word{kAsleep};
  std::atomic<bool> looked{false};
  Sleeper sleeper;
  std::thread sleeping([&] {
    const Sleeper::Scope scope(sleeper);
    looked = true;  // … at `life`, and saw nothing yet
    while (word != kAwake) std::this_thread::yield();
    word = kAsleep;  // the peer's doing
    EXPECT_EQ(platform::futex_wait(&word, kAsleep, Deadline::in_ms(120'000), true), platform::FutexWait::woken);
  });
  while (!looked) std::this_thread::yield();
  sleeper.rouse(word, true);
  sleeping.join();
}

TEST(HostileRing, APeerThatWakesAWriterWithoutReadingLosesItsConnection) {
  TwoMappings segment;
  RingLife life;
  RingWriter writer(segment.ours.to_client(), Wait::block, life);
  const Insisting hostile(segment.theirs.to_client().words->writer, kAwake);
  for (;;) {
    auto room = writer.claim(1000, Deadline::never());  // 20,000 wakes take as long as they take
    if (!room) {
      EXPECT_EQ(room.error().remedy, Remedy::reconnect) << room.error().message;
      break;
    }
    writer.publish(1000, Kind::frame);
  }
}

TEST(HostileRing, NothingLiesBesideASegment) {
  TwoMappings segment;
  const std::uint8_t* const begin = segment.ours.to_server().data - kHeaderBytes;
  const std::uint8_t* const end = segment.ours.to_client().data + 2 * segment.ours.ring_bytes();
  EXPECT_DEATH((void)*static_cast<const volatile std::uint8_t*>(begin - 1), "");
  EXPECT_DEATH((void)*static_cast<const volatile std::uint8_t*>(end), "");
}

TEST(HostileRing, ASegmentWithHolesIsNotMapped) {
  // Touching a hole would take memory in the name of whoever touches it: 2 GiB for the price of a descriptor.
  constexpr std::size_t kRing = std::size_t{1} << 30;
  platform::Fd sparse(memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(sparse.get(), kHeaderBytes + 2 * kRing), 0);
  ASSERT_EQ(fcntl(sparse.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
  auto opened = Segment::open(std::move(sparse), {kSegmentMagic, kSegmentVersion, kRing});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().remedy, Remedy::reconnect);
}

}  // namespace
}  // namespace orbweaver::transport::shmem
