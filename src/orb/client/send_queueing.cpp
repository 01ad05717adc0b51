#include "orb/client/send_queueing.h"

#include <orbweaver/statistics.h>

#include <exception>

#include "base/catch_and_log.h"
#include "platform/thread.h"

namespace orbweaver::orb {

bool SendQueueing::take(std::size_t bytes) noexcept {
  const std::size_t limit = options_.oneway_queue_total_bytes;
  std::size_t used = bytes_.load(std::memory_order_relaxed);
  do {
    if (bytes > limit || used > limit - bytes) return false;
  } while (!bytes_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  return true;
}

/// Joins the threads that have only to return. Called with the lock.
void SendQueueing::join_ended() noexcept {
  for (auto at = senders_.begin(); at != senders_.end();) {
    const auto sender = at++;
    if (!sender->ended.load(std::memory_order_acquire)) continue;
    sender->thread.join();
    senders_.erase(sender);
  }
}

bool SendQueueing::start_thread(Flushable& connection) {
  const std::lock_guard lock(mutex_);
  join_ended();
  if (stopped_ || senders_.size() >= kMaxThreads) return false;
  std::list<Sender> added;
  try {
    Sender& sender = added.emplace_back();
    connection._add_ref();
    sender.connection = FlushablePtr::adopt(&connection);
    sender.thread = std::thread([this, &sender] { run(sender); });
  } catch (const std::exception&) {  // no thread or memory available
    return false;
  }
  senders_.splice(senders_.end(), added);
  return true;
}

void SendQueueing::run(Sender& sender) noexcept {
  platform::name_this_thread("ow-send");
  catch_and_log("sending queued one-way calls", [&] { sender.connection->send_queued_waiting(); });
  FlushablePtr connection;  // may be the last reference: destroyed without the lock
  {
    const std::lock_guard lock(mutex_);
    connection = std::move(sender.connection);
    sender.connection = nullptr;
  }
  connection = nullptr;
  // Pairs with the load of join_ended.
  sender.ended.store(true, std::memory_order_release);
}

void SendQueueing::stop() {
  std::list<Sender> ending;  // joined without the lock
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    ending.swap(senders_);
    for (Sender& sender : ending) {
      if (sender.connection) sender.connection->end_send_queued_waiting();
    }
  }
  for (Sender& sender : ending) sender.thread.join();
}

OneWayQueueCounters& oneway_queue_counters() noexcept {
  static OneWayQueueCounters all;
  return all;
}

}  // namespace orbweaver::orb

namespace orbweaver {

OneWayQueueStatistics oneway_queue_statistics() noexcept {
  const auto& all = orb::oneway_queue_counters();
  return {all.queued, all.sent, all.dropped_full, all.rejected_full, all.lost, all.discarded};
}

}  // namespace orbweaver
