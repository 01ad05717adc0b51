// The peer's last words come at the worst moment: after its reader has looked for them, before that looks whether the
// peer has gone.
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <functional>
#include <new>
#include <ostream>
#include <string>

#include "platform/memory.h"
#include "transport/shm/ring_reader.h"
#include "transport/shm/ring_writer.h"

namespace orbweaver::transport::shmem {
namespace {

/// A RingLife in a page that nobody may touch: the first look at it, from whichever instruction, waits until `happens`
/// has happened. One at a time.
class WatchedLife {
 public:
  explicit WatchedLife(std::function<void()> happens) : happens_(std::move(happens)) {
    page_ = mmap(nullptr, platform::page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    life_ = new (page_) RingLife;
    current_ = this;
    struct sigaction action {};
    action.sa_sigaction = &WatchedLife::touched;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &before_);
  }
  ~WatchedLife() {
    sigaction(SIGSEGV, &before_, nullptr);
    current_ = nullptr;
    life_->~RingLife();
    munmap(page_, platform::page_bytes());
  }
  WatchedLife(const WatchedLife&) = delete;
  WatchedLife& operator=(const WatchedLife&) = delete;

  RingLife& life() noexcept { return *life_; }
  void watch() noexcept { mprotect(page_, platform::page_bytes(), PROT_NONE); }
  bool was_touched() const noexcept { return touched_; }

 private:
  static void touched(int, siginfo_t* info, void*) {
    WatchedLife* const self = current_;
    if (self == nullptr || self->touched_ || reinterpret_cast<std::uintptr_t>(info->si_addr) / platform::page_bytes() !=
                                                 reinterpret_cast<std::uintptr_t>(self->page_) / platform::page_bytes()) {
      _exit(99);  // a fault of the code's own
    }
    self->touched_ = true;
    mprotect(self->page_, platform::page_bytes(), PROT_READ | PROT_WRITE);
    self->happens_();
  }
  static inline WatchedLife* current_ = nullptr;

  std::function<void()> happens_;
  void* page_ = nullptr;
  RingLife* life_ = nullptr;
  bool touched_ = false;
  struct sigaction before_ {};
};

struct NamedWait {
  Wait wait;
  const char* name;
};
void PrintTo(const NamedWait& wait, std::ostream* out) { *out << wait.name; }

class RingEnd : public ::testing::TestWithParam<NamedWait> {};

TEST_P(RingEnd, WhatCameBetweenTheLastTwoLooksIsReceived) {
  RingWords words;
  alignas(kLine) std::array<std::uint8_t, 8192> data{};
  const RingMemory memory{&words, data.data(), data.size(), false};
  const RingLife writers;
  RingWriter writer(memory, Wait::spin, writers);
  auto room = writer.claim(5, Deadline::never());
  ASSERT_TRUE(room);
  std::memcpy(room->data(), "last", 5);
  RingLife* life = nullptr;
  WatchedLife watched([&] {
    writer.publish(5, Kind::frame);
    life->peer_gone = true;
  });
  life = &watched.life();
  RingReader reader(memory, GetParam().wait, watched.life());
  watched.watch();
  auto piece = reader.receive(Deadline::in_ms(120'000));
  EXPECT_TRUE(watched.was_touched());
  ASSERT_TRUE(piece) << piece.error().message;
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(piece->bytes.data())), "last");
  reader.release();
  piece = reader.receive(Deadline::in_ms(120'000));
  ASSERT_FALSE(piece);
  EXPECT_EQ(piece.error().remedy, Remedy::reconnect);
}

INSTANTIATE_TEST_SUITE_P(Waits, RingEnd,
                         ::testing::Values(NamedWait{Wait::block, "block"}, NamedWait{Wait::adaptive, "adaptive"},
                                           NamedWait{Wait::spin, "spin"}),
                         [](const auto& wait) { return std::string(wait.param.name); });

}  // namespace
}  // namespace orbweaver::transport::shmem
