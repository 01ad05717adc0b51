// Tests of a peer that publishes its last frame between the reader's check for a frame and its check for a
// disconnect.
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

namespace orbweaver::transport::shm {
namespace {

/// A RingConnectionState in an inaccessible page: the first access, from whichever instruction, waits until
/// `happens` has returned. One at a time.
/// has happened. One at a time.
class FaultingState {
 public:
  explicit FaultingState(std::function<void()> happens) : happens_(std::move(happens)) {
    page_ = mmap(nullptr, platform::page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    life_ = new (page_) RingConnectionState;
    current_ = this;
    struct sigaction action {};
    action.sa_sigaction = &FaultingState::touched;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &before_);
  }
  ~FaultingState() {
    sigaction(SIGSEGV, &before_, nullptr);
    current_ = nullptr;
    life_->~RingConnectionState();
    munmap(page_, platform::page_bytes());
  }
  FaultingState(const FaultingState&) = delete;
  FaultingState& operator=(const FaultingState&) = delete;

  RingConnectionState& connection() noexcept { return *life_; }
  void watch() noexcept { mprotect(page_, platform::page_bytes(), PROT_NONE); }
  bool was_touched() const noexcept { return touched_; }

 private:
  static void touched(int, siginfo_t* info, void*) {
    FaultingState* const self = current_;
    if (self == nullptr || self->touched_ ||
        reinterpret_cast<std::uintptr_t>(info->si_addr) / platform::page_bytes() !=
            reinterpret_cast<std::uintptr_t>(self->page_) / platform::page_bytes()) {
      _exit(99);  // another fault
    }
    self->touched_ = true;
    mprotect(self->page_, platform::page_bytes(), PROT_READ | PROT_WRITE);
    self->happens_();
  }
  static inline FaultingState* current_ = nullptr;

  std::function<void()> happens_;
  void* page_ = nullptr;
  RingConnectionState* life_ = nullptr;
  bool touched_ = false;
  struct sigaction before_ {};
};

struct NamedWait {
  WaitStrategy wait;
  const char* name;
};
void PrintTo(const NamedWait& wait, std::ostream* out) { *out << wait.name; }

class RingEnd : public ::testing::TestWithParam<NamedWait> {};

TEST_P(RingEnd, ReceivesAFramePublishedJustBeforeDisconnect) {
  RingWords words;
  alignas(kLine) std::array<std::uint8_t, 8192> data{};
  const RingMemory memory{&words, data.data(), data.size(), false};
  const RingConnectionState writers;
  RingWriter writer(memory, WaitStrategy::spin, writers);
  auto room = writer.claim(5, Deadline::never());
  ASSERT_TRUE(room);
  std::memcpy(room->data(), "last", 5);
  RingConnectionState* connection = nullptr;
  FaultingState watched([&] {
    writer.publish(5, FrameKind::frame);
    connection->mark_peer_disconnected();
  });
  connection = &watched.connection();
  RingReader reader(memory, GetParam().wait, watched.connection());
  watched.watch();
  auto piece = reader.receive(Deadline::in_ms(120'000));
  EXPECT_TRUE(watched.was_touched());
  ASSERT_TRUE(piece) << piece.error().message;
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(piece->bytes.data())), "last");
  reader.release();
  piece = reader.receive(Deadline::in_ms(120'000));
  ASSERT_FALSE(piece);
  EXPECT_EQ(piece.error().kind, ErrorKind::disconnected);
}

INSTANTIATE_TEST_SUITE_P(Waits, RingEnd,
                         ::testing::Values(NamedWait{WaitStrategy::block, "block"},
                                           NamedWait{WaitStrategy::adaptive, "adaptive"},
                                           NamedWait{WaitStrategy::spin, "spin"}),
                         [](const auto& wait) { return std::string(wait.param.name); });

}  // namespace
}  // namespace orbweaver::transport::shm
