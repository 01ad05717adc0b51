#include "orb/flusher.h"

#include <chrono>
#include <exception>
#include <iterator>

#include "platform/clock.h"
#include "platform/thread.h"

namespace orbweaver::orb {

bool Flusher::add(Flushable& connection, std::int64_t due_ns) {
  const std::lock_guard lock(mutex_);
  if (over_) return false;
  try {
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    connection._add_ref();
    put({due_ns, FlushablePtr::adopt(&connection)});
  } catch (const std::exception&) {  // no thread, or no memory
    return false;
  }
  return true;
}

/// Nearly always the last: all wait for equally long, but those that come again.
void Flusher::put(Due due) {
  auto at = due_.end();
  while (at != due_.begin() && std::prev(at)->at_ns > due.at_ns) --at;
  const bool first = at == due_.begin();
  due_.insert(at, std::move(due));
  if (first) changed_.notify_one();  // the thread sleeps for longer, or until there is something
}

void Flusher::run() {
  platform::name_this_thread("ow-flush");
  std::unique_lock lock(mutex_);
  while (!over_) {
    if (due_.empty()) {
      changed_.wait(lock, [&] { return over_ || !due_.empty(); });
      continue;
    }
    const std::int64_t at_ns = due_.front().at_ns;
    if (now_ns() < at_ns) {
      // steady_clock is CLOCK_MONOTONIC, which now_ns counts in.
      changed_.wait_until(lock, std::chrono::steady_clock::time_point{std::chrono::nanoseconds(at_ns)});
      continue;
    }
    Due due = std::move(due_.front());
    due_.pop_front();
    lock.unlock();
    due.at_ns = due.connection->flush_due();
    if (due.at_ns == 0) due.connection = nullptr;  // perhaps the last to hold it
    lock.lock();
    if (due.connection) put(std::move(due));
  }
}

void Flusher::stop() {
  std::deque<Due> left;  // let go behind the lock
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  const std::lock_guard lock(mutex_);
  left.swap(due_);
}

}  // namespace orbweaver::orb
