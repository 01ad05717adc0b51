#include "orb/server/reactor.h"

#include <array>
#include <utility>
#include <vector>

namespace orbweaver::orb {
namespace {

// Tags in the poll set that belong to no handler.
constexpr std::uint64_t kQueueTag = 0;
constexpr std::uint64_t kStop = 1;

// At shutdown, for clients that do not read their replies.
constexpr std::int64_t kUnreadRepliesTimeoutMs = 1000;

}  // namespace

Reactor::Reactor() : owner_(std::this_thread::get_id()) {
  set_.add(queue_event_.fd().get(), kQueueTag, platform::PollSet::Trigger::oneshot);
  set_.add(stop_event_.fd().get(), kStop, platform::PollSet::Trigger::level);
  last_id_ = kStop;
}

Reactor::~Reactor() {
  stop(platform::Deadline{0});
  finish();
}

bool Reactor::add(std::shared_ptr<EventHandler> handler) {
  const std::lock_guard lock(mutex_);
  const int fd = handler->descriptor();
  if ((handler->has_descriptor() && (fd < 0 || closing())) || stopping()) return false;
  handler->id_ = ++last_id_;
  // A descriptor reported before the first turn has no effect: the handler is queued, and its first turn arms
  // it.
  if (fd >= 0 && set_.add(fd, handler->id_, platform::PollSet::Trigger::oneshot) != 0) return false;
  EventHandler& added = *handler;
  handlers_.emplace(added.id_, std::move(handler));
  queue(added);
  return true;
}

void Reactor::queue(EventHandler& handler) {
  handler.state_ = EventHandler::State::queued;
  handler.next_queued_ = nullptr;
  if (first_queued_ != nullptr) {
    last_queued_->next_queued_ = &handler;
  } else {
    first_queued_ = &handler;
    queue_event_.notify();
  }
  last_queued_ = &handler;
}

void Reactor::resume(EventHandler& handler) {
  const std::lock_guard lock(mutex_);
  if (stopping()) return;  // no more turns; queued handlers may have been destroyed
  if (handler.state_ == EventHandler::State::parked || handler.state_ == EventHandler::State::waiting)
    queue(handler);
  if (handler.state_ == EventHandler::State::running) handler.resumed_ = true;
}

void Reactor::resume_all() {
  const std::lock_guard lock(mutex_);
  resume_count_.fetch_add(1, std::memory_order_release);
  if (stopping()) return;
  for (auto& [id, handler] : handlers_) {
    if (handler->state_ == EventHandler::State::parked) queue(*handler);
    if (handler->state_ == EventHandler::State::running) handler->resumed_ = true;
  }
}

/// Returns the handler of `tag`, or of the queue, whose turn is due; null if there is none.
EventHandler* Reactor::take(std::uint64_t tag) {
  const std::lock_guard lock(mutex_);
  if (stopping()) return nullptr;
  EventHandler* handler = nullptr;
  if (tag == kQueueTag) {
    if (first_queued_ != nullptr) handler = std::exchange(first_queued_, first_queued_->next_queued_);
    if (first_queued_ == nullptr) queue_event_.drain();
    set_.rearm(queue_event_.fd().get(), kQueueTag);
  } else if (const auto known = handlers_.find(tag); known != handlers_.end()) {
    if (known->second->state_ == EventHandler::State::waiting) handler = known->second.get();
  }
  if (handler == nullptr) return nullptr;
  handler->state_ = EventHandler::State::running;
  handler->resumed_ = false;
  ++turns_;
  return handler;
}

bool Reactor::step(platform::Deadline deadline) {
  EventHandler* const handler = next(deadline);
  if (handler != nullptr) run(*handler);
  return handler != nullptr;
}

EventHandler* Reactor::next(platform::Deadline deadline) {
  for (;;) {
    std::array<std::uint64_t, 1> ready{};
    if (stopping() || set_.wait(ready, deadline) == 0 || ready[0] == kStop) return nullptr;
    if (EventHandler* handler = take(ready[0])) return handler;
  }
}

void Reactor::run(EventHandler& handler) {
  const EventHandler::TurnResult after = handler.handle_event();
  if (after == EventHandler::TurnResult::detached) return run_detached(handler);
  finish_turn(handler, after);
}

/// Ends the turn of a handler, so that another thread can run the next one, and runs its detached work.
void Reactor::run_detached(EventHandler& handler) {
  std::shared_ptr<EventHandler> detached;
  {
    const std::lock_guard lock(mutex_);
    detached = handlers_.find(handler.id_)->second;
    ++turns_;
  }
  finish_turn(handler, EventHandler::TurnResult::ready);
  detached->run_detached();
  detached = nullptr;
  const std::lock_guard lock(mutex_);
  --turns_;
  ended_.notify_all();
}

void Reactor::finish_turn(EventHandler& handler, EventHandler::TurnResult after) {
  std::shared_ptr<EventHandler> ended;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  const bool pauses = after == EventHandler::TurnResult::parked || after == EventHandler::TurnResult::wait;
  if (pauses && handler.resumed_) after = EventHandler::TurnResult::ready;
  switch (after) {
    case EventHandler::TurnResult::wait:
      handler.state_ = EventHandler::State::waiting;
      set_.rearm(handler.descriptor(), handler.id_);
      break;
    case EventHandler::TurnResult::detached:
    case EventHandler::TurnResult::ready: queue(handler); break;
    case EventHandler::TurnResult::parked: handler.state_ = EventHandler::State::parked; break;
    case EventHandler::TurnResult::remove:
      if (handler.has_descriptor()) set_.remove(handler.descriptor());
      const auto known = handlers_.find(handler.id_);
      ended = std::move(known->second);
      handlers_.erase(known);
      break;
  }
  --turns_;
  ended_.notify_all();
}

bool Reactor::has_work() noexcept {
  return !stopping() && platform::poll(fd(), platform::kReadable, {0}) != 0;
}

bool Reactor::enter(Ownership how) {
  const std::lock_guard lock(mutex_);
  const auto self = std::this_thread::get_id();
  if (owner_.load(std::memory_order_relaxed) != self) {
    if (how == Ownership::only || depth_.load(std::memory_order_relaxed) != 0) return false;
    owner_.store(self, std::memory_order_relaxed);
  }
  depth_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void Reactor::leave() {
  const std::lock_guard lock(mutex_);
  depth_.fetch_sub(1, std::memory_order_relaxed);
}

void Reactor::work(platform::Deadline deadline) {
  if (!enter(Ownership::or_new)) return;
  step(deadline);
  leave();
}

bool Reactor::run() {
  if (!enter(Ownership::or_new)) return false;
  while (!stopping()) step(platform::Deadline::never());
  leave();
  return true;
}

void Reactor::serve_while_waiting(platform::Deadline deadline) {
  if (!enter(Ownership::only)) return;
  step(deadline);
  leave();
}

void Reactor::wake() {
  stopping_.store(true, std::memory_order_release);
  stop_event_.notify();
}

void Reactor::stop(platform::Deadline deadline) {
  {
    const std::lock_guard lock(mutex_);
    wake();
  }
  close_orderly(deadline);
}

void Reactor::close_orderly(platform::Deadline deadline) {
  std::vector<std::shared_ptr<EventHandler>> all;
  {
    const std::lock_guard lock(mutex_);
    closing_.store(true, std::memory_order_release);
    for (auto& [id, handler] : handlers_) all.push_back(handler);
  }
  // Requests of one connection may wait for those of another: all are notified before any is joined.
  for (auto& handler : all) handler->close_orderly(deadline);
}

void Reactor::end_stuck() {
  std::vector<std::shared_ptr<EventHandler>> all;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [id, handler] : handlers_) all.push_back(handler);
  }
  for (auto& handler : all) handler->end_if_stuck();
}

void Reactor::finish() {
  std::map<std::uint64_t, std::shared_ptr<EventHandler>> all;
  {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return turns_ == 0; });
    for (auto& [id, handler] : handlers_) {
      if (handler->has_descriptor()) set_.remove(handler->descriptor());
    }
    all.swap(handlers_);
    first_queued_ = last_queued_ = nullptr;
  }
  for (auto& [id, handler] : all) handler->drain();
  const auto deadline = platform::Deadline::in_ms(kUnreadRepliesTimeoutMs);
  for (auto& [id, handler] : all) handler->close_by(deadline);
}

}  // namespace orbweaver::orb
