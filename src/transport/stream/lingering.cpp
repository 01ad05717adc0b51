#include "transport/stream/lingering.h"

#include <atomic>
#include <cerrno>
#include <list>
#include <mutex>
#include <thread>

#include "base/contained.h"
#include "platform/clock.h"
#include "platform/process_identity.h"
#include "platform/socket.h"
#include "platform/thread.h"

namespace orbweaver::transport {
namespace {

using platform::Deadline;

constexpr std::int64_t kLinger_ms = 100;

enum class Incoming : std::uint8_t { none, some, ended };

Incoming discard_incoming(const platform::Fd& socket) noexcept {
  std::uint8_t scratch[4096];
  Incoming seen = Incoming::none;
  // Bounded: a peer that sends without end must not keep this busy.
  for (int i = 0; i < 256; ++i) {
    const platform::IoResult got = platform::recv(socket, scratch, platform::Block::no);
    if (got.error == EAGAIN || got.error == EWOULDBLOCK) return seen;
    if (got.error != 0 || got.bytes == 0) return seen == Incoming::some ? seen : Incoming::ended;
    seen = Incoming::some;
  }
  return seen;
}

struct Waiting {
  platform::Fd socket;
  Deadline until;
};

/// Never destroyed: its thread may still run while the program ends.
struct All {
  std::atomic<std::size_t> count{0};  // those that wait, and those that the thread looks at
  std::mutex mutex;                   // guards the rest
  std::list<Waiting> waiting;         // not yet known to the thread
  bool has_thread = false;
};
All& all() noexcept {
  static All& one = *new All;
  return one;
}

void serve() noexcept {
  platform::name_this_thread("ow-linger");
  All& shared = all();
  std::list<Waiting> known;
  for (;;) {
    {
      const std::lock_guard lock(shared.mutex);
      known.splice(known.end(), shared.waiting);
      if (known.empty()) {
        shared.has_thread = false;
        break;
      }
    }
    // Without the lock: whoever closes a connection waits for none of this.
    for (auto each = known.begin(); each != known.end();) {
      if (look_after(each->socket, each->until.passed()) == Lingering::over) {
        each = known.erase(each);
        shared.count.fetch_sub(1, std::memory_order_release);
      } else {
        ++each;
      }
    }
    platform::sleep_ms(1);
  }
}

}  // namespace

/// A stream that is shut for reading answers further bytes with a reset, which throws away what has been committed but
/// has not left for want of room at the peer. So first let it leave, for a while. Taking in what comes makes room for
/// the peer's sender, whose thread may be the one that would read.
Lingering look_after(const platform::Fd& socket, bool enough) noexcept {
  const bool ended = discard_incoming(socket) == Incoming::ended;  // then nothing will come that could be answered so
  if (!ended && !enough && platform::unsent(socket) != 0) return Lingering::under_way;
  platform::shutdown_both(socket);
  // Bytes that came after all tell of a peer that still sends, and may wait for room for ever: nobody here will make
  // any. A reset wakes it; what we sent is with its host already.
  if (discard_incoming(socket) == Incoming::some) platform::abort_tcp(socket);
  return Lingering::over;
}

void let_linger(platform::Fd socket) noexcept {
  All& shared = all();
  const bool kept = contained("a connection is closed before all is sent", [&] {
    std::list<Waiting> one;
    one.push_back({platform::Fd(), Deadline::in_ms(kLinger_ms)});
    const std::lock_guard lock(shared.mutex);
    if (lingering() >= kMostLingering) return;
    if (!shared.has_thread) {
      std::thread(serve).detach();  // it begins with the lock, and finds what is added here
      shared.has_thread = true;
    }
    one.front().socket = std::move(socket);
    shared.waiting.splice(shared.waiting.end(), one);
    shared.count.fetch_add(1, std::memory_order_relaxed);
  });
  static_cast<void>(kept);
  if (socket) look_after(socket, true);
}

void wait_for_lingering() noexcept {
  const Deadline until = Deadline::in_ms(2 * kLinger_ms);
  while (lingering() != 0 && !until.passed()) platform::sleep_ms(1);
}

std::size_t lingering() noexcept { return all().count.load(std::memory_order_acquire); }

}  // namespace orbweaver::transport
