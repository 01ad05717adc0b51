#include "orb/flusher.h"

#include <exception>
#include <iterator>

#include "base/catch_and_log.h"
#include "platform/clock.h"
#include "platform/steady_time.h"
#include "platform/thread.h"

namespace orbweaver::orb {
namespace {
constexpr std::int64_t kAfterException_ns = 10'000'000;
}  // namespace

bool Flusher::add(Flushable& connection, std::int64_t due_ns, DueFunction due) {
  const std::lock_guard lock(mutex_);
  if (stopped_) return false;
  try {
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    connection._add_ref();
    schedule({due_ns, FlushablePtr::adopt(&connection), due});
  } catch (const std::exception&) {  // no thread or memory available
    return false;
  }
  return true;
}

/// Inserts by time. Nearly always at the end, as the delay is the same for all except rescheduled
/// connections.
void Flusher::schedule(ScheduledFlush due) {
  auto at = due_.end();
  while (at != due_.begin() && std::prev(at)->at_ns > due.at_ns) --at;
  const bool first = at == due_.begin();
  due_.insert(at, std::move(due));
  if (first) changed_.notify_one();  // the thread waits for a later time or for the first entry
}

void Flusher::run() {
  platform::name_this_thread("ow-flush");
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (due_.empty()) {
      changed_.wait(lock, [&] { return stopped_ || !due_.empty(); });
      continue;
    }
    const std::int64_t at_ns = due_.front().at_ns;
    if (now_ns() < at_ns) {
      // steady_clock is CLOCK_MONOTONIC, which now_ns counts in.
      changed_.wait_until(lock, platform::steady_time(at_ns));
      continue;
    }
    ScheduledFlush due = std::move(due_.front());
    due_.pop_front();
    lock.unlock();
    // Also after an exception (no memory) messages may be queued.
    if (!catch_and_log("sending queued messages", [&] { due.at_ns = (due.connection.get()->*due.due)(); }))
      due.at_ns = now_ns() + kAfterException_ns;
    if (due.at_ns == 0) due.connection = nullptr;  // may be the last reference
    lock.lock();
    if (due.connection) catch_and_log("scheduling queued messages", [&] { schedule(std::move(due)); });
  }
}

void Flusher::stop() {
  std::deque<ScheduledFlush> unsent;  // destroyed after the lock is released
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  const std::lock_guard lock(mutex_);
  unsent.swap(due_);
}

}  // namespace orbweaver::orb
