#include "transport/stream/lingering.h"

#include <atomic>
#include <cerrno>
#include <list>
#include <mutex>
#include <thread>

#include "base/catch_and_log.h"
#include "platform/clock.h"
#include "platform/process_identity.h"
#include "platform/socket.h"
#include "platform/thread.h"

namespace orbweaver::transport {
namespace {

using platform::Deadline;

constexpr std::int64_t kLinger_ms = 100;

enum class Input : std::uint8_t { none, some, ended };

Input discard_input(const platform::Fd& socket) noexcept {
  std::uint8_t scratch[4096];
  Input seen = Input::none;
  // Bounded: a peer that sends without end must not occupy this thread.
  for (int i = 0; i < 256; ++i) {
    const platform::IoResult got = platform::recv(socket, scratch, platform::Blocking::no);
    if (got.error == EAGAIN || got.error == EWOULDBLOCK) return seen;
    if (got.error != 0 || got.bytes == 0) return seen == Input::some ? seen : Input::ended;
    seen = Input::some;
  }
  return seen;
}

struct LingeringSocket {
  platform::Fd socket;
  Deadline until;
};

/// Never destroyed: its thread may still run during static destruction.
struct LingerQueue {
  std::atomic<std::size_t> count{0};   // queued sockets and those that the thread processes
  std::mutex mutex;                    // guards the members below
  std::list<LingeringSocket> waiting;  // not yet taken over by the thread
  bool has_thread = false;
};
LingerQueue& linger_queue() noexcept {
  static LingerQueue& instance = *new LingerQueue;
  return instance;
}

void linger_thread() noexcept {
  platform::name_this_thread("ow-linger");
  LingerQueue& shared = linger_queue();
  std::list<LingeringSocket> sockets;
  for (;;) {
    {
      const std::lock_guard lock(shared.mutex);
      sockets.splice(sockets.end(), shared.waiting);
      if (sockets.empty()) {
        shared.has_thread = false;
        break;
      }
    }
    // Without the lock, so that no closing thread waits for this.
    for (auto each = sockets.begin(); each != sockets.end();) {
      if (linger_step(each->socket, each->until.passed()) == LingerStep::done) {
        each = sockets.erase(each);
        shared.count.fetch_sub(1, std::memory_order_release);
      } else {
        ++each;
      }
    }
    platform::sleep_ms(1);
  }
}

}  // namespace

/// Advances the graceful shutdown of a stream. A socket that is shut for reading answers further data with a
/// reset, which discards committed data that the peer's buffer had no space for. So that data is first sent,
/// for a limited time. Reading and discarding input frees buffer space at the peer, whose sending thread may
/// be the one that would read.
LingerStep linger_step(const platform::Fd& socket, bool timed_out) noexcept {
  // after the end of input no data can cause a reset
  const bool ended = discard_input(socket) == Input::ended;
  if (!ended && !timed_out && platform::unsent(socket) != 0) return LingerStep::in_progress;
  platform::shutdown_both(socket);
  // Input that arrived since is from a peer that still sends and may be blocked. A reset wakes it; data sent
  // by this end is already with its host.
  if (discard_input(socket) == Input::some) platform::abort_tcp(socket);
  return LingerStep::done;
}

void linger_in_background(platform::Fd socket) noexcept {
  LingerQueue& shared = linger_queue();
  const bool kept = catch_and_log("a connection is closed before all is sent", [&] {
    std::list<LingeringSocket> node;
    node.push_back({platform::Fd(), Deadline::in_ms(kLinger_ms)});
    const std::lock_guard lock(shared.mutex);
    if (lingering_count() >= kMaxLingering) return;
    if (!shared.has_thread) {
      std::thread(linger_thread).detach();  // starts by taking the lock, so it finds what is added here
      shared.has_thread = true;
    }
    node.front().socket = std::move(socket);
    shared.waiting.splice(shared.waiting.end(), node);
    shared.count.fetch_add(1, std::memory_order_relaxed);
  });
  static_cast<void>(kept);
  if (socket) linger_step(socket, true);
}

void wait_for_lingering_sockets() noexcept {
  const Deadline until = Deadline::in_ms(2 * kLinger_ms);
  while (lingering_count() != 0 && !until.passed()) platform::sleep_ms(1);
}

std::size_t lingering_count() noexcept { return linger_queue().count.load(std::memory_order_acquire); }

}  // namespace orbweaver::transport
