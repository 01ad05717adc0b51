// AsyncReplies: the threads and handlers that read replies and call reply handlers.
#include <orbweaver/deadline.h>

#include <chrono>

#include "base/catch_and_log.h"
#include "orb/client/async_calls.h"
#include "orb/client/async_replies.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/server/reactor.h"
#include "platform/descriptors.h"

namespace orbweaver::orb {

/// Dispatcher of an ORB with -ORBThreads single. Registered while there are calls. It is a follower of the
/// reader role all that time: a thread that has read for itself alone may have left replies, without a
/// notification at the descriptor.
class AsyncReplies::Handler final : public EventHandler {
 public:
  Handler(AsyncReplies& replies, platform::Fd fd)
      : replies_(replies), connection_(replies.share_connection()), fd_(std::move(fd)) {
    connection_->replies().add_follower();
  }
  ~Handler() override { connection_->replies().remove_follower(); }

  int descriptor() noexcept override { return fd_.get(); }
  /// No: the connection has ended, or no descriptor is left. Then there are turns at intervals: see `due`.
  bool has_descriptor() const noexcept override { return static_cast<bool>(fd_); }
  TurnResult handle_event() noexcept override {
    TurnResult after = TurnResult::ready;
    catch_and_log("reading replies", [&] { after = turn(); });
    return after;
  }
  void close_orderly(platform::Deadline) noexcept override {}
  void close_by(platform::Deadline) noexcept override {}

  /// Whether the calling thread executes a turn, and releases the reader role itself.
  bool is_in_turn() const noexcept {
    return turn_thread_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }

 private:
  TurnResult turn();

  AsyncReplies& replies_;
  const ClientConnectionPtr connection_;
  const platform::Fd fd_;  // a duplicate: the connection may close its own
  std::atomic<std::thread::id> turn_thread_;
};

EventHandler::TurnResult AsyncReplies::Handler::turn() {
  const struct InTurn {
    std::atomic<std::thread::id>& thread;
    explicit InTurn(std::atomic<std::thread::id>& t) : thread(t) {
      thread.store(std::this_thread::get_id(), std::memory_order_relaxed);
    }
    ~InTurn() { thread.store(std::thread::id(), std::memory_order_relaxed); }
  } in_turn(turn_thread_);
  ReplyReader& reader = connection_->reader();
  if (reader.try_take_role()) replies_.read(Deadline{0}, nullptr, Reads::as_dispatcher);
  Lock lock(replies_.calls_.mutex());
  replies_.expire(lock);
  replies_.dispatch(lock);
  if (replies_.is_idle()) {
    const auto self = std::move(replies_.handler_);  // the reactor has another reference
    return TurnResult::remove;
  }
  if (replies_.has_ready_.load(std::memory_order_relaxed)) return TurnResult::ready;
  lock.unlock();
  if (!fd_ || !reader.try_take_role()) return TurnResult::parked;
  transport::Readiness* const readiness = connection_->readiness_as_reader();
  const bool armed = readiness != nullptr && readiness->arm();
  reader.release_role();
  return armed ? TurnResult::wait : TurnResult::ready;
}

bool AsyncReplies::is_single() const noexcept {
  return core_.reactor() != nullptr && core_.reactor()->single();
}

/// Starts what reads replies. Locked.
void AsyncReplies::need_dispatcher() {
  if (!is_single()) {
    calls_.start_thread("ow-replies", share_connection(), [this] { run_reader(); });
    has_reader_ = true;
    return;
  }
  auto handler = std::make_shared<Handler>(*this, connection_.duplicate_descriptor());
  if (!core_.reactor()->add(handler)) {
    core_.check_running();
    throw CORBA::NO_RESOURCES(minor::kOutOfResources, CORBA::CompletionStatus::COMPLETED_NO,
                              connection_.description() + ": no descriptor left for asynchronous replies");
  }
  handler_ = std::move(handler);
  if (!timed_) timed_ = core_.flusher().add(connection_, now_ns(), &Flushable::async_due);
}

/// Locked.
void AsyncReplies::wake_dispatcher() noexcept {
  if (handler_ != nullptr)
    core_.reactor()->resume(*handler_);
  else
    changed_.notify_all();
}

void AsyncReplies::role_released() noexcept {
  const std::lock_guard lock(calls_.mutex());
  if (handler_ != nullptr && !handler_->is_in_turn()) core_.reactor()->resume(*handler_);
  changed_.notify_all();
}

std::int64_t AsyncReplies::due() {
  constexpr std::int64_t kInterval_ns = 10'000'000;
  const std::lock_guard lock(calls_.mutex());
  timed_ = handler_ != nullptr;
  if (!timed_) return 0;
  if (!handler_->has_descriptor() || (!deadlines_.empty() && deadlines_.first_ns() <= now_ns()))
    wake_dispatcher();
  return now_ns() + kInterval_ns;
}

void AsyncReplies::run_reader() {
  constexpr std::chrono::seconds kIdle{1};
  // Without calls, it waits in the transport for this time, as programs often make the next one soon: the
  // reply wakes it then, and the caller need not.
  constexpr std::int64_t kLinger_ns = 100'000;
  bool lingers = false;
  Lock lock(calls_.mutex());
  for (;;) {
    expire(lock);
    dispatch(lock);
    if (has_ready_.load(std::memory_order_relaxed)) {  // another thread dispatches
      changed_.wait_for(lock, kIdle);
      continue;
    }
    if (!table_.empty()) {
      const Deadline until = next_deadline();
      try_follow(lock, until, until, nullptr);
      lingers = true;
      continue;
    }
    if (calls_.stopping() && is_idle()) break;
    if (queued_ != 0) {
      changed_.wait_until(
          lock, std::chrono::steady_clock::time_point(std::chrono::nanoseconds(next_deadline().ns)));
      continue;
    }
    if (std::exchange(lingers, false) && connection_.usable()) {
      const Deadline until = Deadline::in_ns(kLinger_ns);
      try_follow(lock, until, until, nullptr);
      continue;
    }
    parked_ = true;
    const bool idle = changed_.wait_for(lock, kIdle) == std::cv_status::timeout;
    parked_ = false;
    if (idle && is_idle()) break;
  }
  has_reader_ = false;
}

}  // namespace orbweaver::orb
