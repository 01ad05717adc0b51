#include "orb/server/request_queue.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "base/catch_and_log.h"
#include "base/log.h"
#include "orb/options.h"
#include "orb/server/service_budget.h"

namespace orbweaver::orb {
namespace {

/// Time for which the thread of a queue waits for another request.
constexpr std::chrono::seconds kIdleTime(5);

}  // namespace

RequestQueue::RequestQueue(std::shared_ptr<RequestQueues> all, const Limits& limits,
                           std::shared_ptr<SharedTurn> turn,
                           std::shared_ptr<const RealTimeAdapter> pool_owner, std::int16_t object_priority)
    : all_(std::move(all)), limits_(limits), turn_(std::move(turn)), pool_owner_(std::move(pool_owner)),
      object_priority_(object_priority) {}

// ---- space ----

RequestQueue::Space::Reservation RequestQueue::Space::reserve(const std::shared_ptr<RequestQueue>& queue,
                                                              std::size_t bytes, std::int16_t priority) {
  if (LanePool* const pool = queue->pool(); pool != nullptr) {
    if (place_ == nullptr) place_ = pool->reserve(priority, bytes, on_change_);
    if (place_ == nullptr) return Reservation::full;
    return place_->is_granted() ? Reservation::granted : Reservation::waiting;
  }
  std::list<Space*> added{this};
  const std::lock_guard lock(queue->all_->mutex_);
  if (state_ == State::none) {
    if (queue->closed_) {
      queue_ = nullptr;  // `queue` remains
      return Reservation::closed;
    }
    if (queue->stopped_) return Reservation::waiting;  // the request counts as not read
    queue_ = queue;
    bytes_ = bytes;
    state_ = State::waits_for_queue;
    queue->waiting_.splice(queue->waiting_.end(), added);
    queue->all_->admit(*queue, this);
  }
  return state_ == State::granted ? Reservation::granted : Reservation::waiting;
}

void RequestQueue::Space::put(std::unique_ptr<ObjectRequest> request) {
  if (place_ != nullptr) return std::exchange(place_, nullptr)->put(std::move(request));
  std::list<Entry> added;
  added.push_back({std::move(request), bytes_});
  const std::shared_ptr<RequestQueue> queue = std::move(queue_);
  RequestQueues& all = *queue->all_;
  std::unique_lock lock(all.mutex_);
  state_ = State::none;
  queue->entries_.splice(queue->entries_.end(), added);
  if (all.reactor_ != nullptr) {
    lock.unlock();
    return all.reactor_->resume(*queue);
  }
  if (all.start_thread(queue)) return;
  queue->has_thread_ = true;
  queue->serve_all(lock);
  queue->has_thread_ = false;
}

void RequestQueue::Space::cancel() noexcept {
  place_ = nullptr;
  const std::shared_ptr<RequestQueue> queue = std::move(queue_);
  if (queue == nullptr) return;
  RequestQueues& all = *queue->all_;
  const std::lock_guard lock(all.mutex_);
  switch (std::exchange(state_, State::none)) {
    case State::none: break;
    case State::waits_for_queue:
      queue->waiting_.remove(this);
      all.admit(*queue, nullptr);
      break;
    case State::waits_for_memory:
      all.waiting_.remove(this);
      all.release_in_queue(*queue, bytes_);
      break;
    case State::granted: all.release(*queue, bytes_); break;
  }
}

/// Admits requests that wait for space in `queue`, and those that wait for memory. Calls `on_change_` of each
/// but the caller.
void RequestQueues::admit(RequestQueue& queue, const RequestQueue::Space* caller) noexcept {
  using State = RequestQueue::Space::State;
  while (!queue.waiting_.empty() && queue.has_room_for(queue.waiting_.front()->bytes_)) {
    RequestQueue::Space& space = *queue.waiting_.front();
    ++queue.requests_;
    queue.bytes_ += space.bytes_;
    space.state_ = State::waits_for_memory;
    waiting_.splice(waiting_.end(), queue.waiting_, queue.waiting_.begin());
  }
  grant_memory(caller);
}

/// Whether there is memory for a request and its overhead. A request larger than the limit is the only one.
bool RequestQueues::has_memory_for(std::size_t bytes) const noexcept {
  const std::size_t limit = options_.queue_bytes();
  return bytes_ == 0 || (bytes_ <= limit && bytes <= limit - bytes_);
}

/// Admits the requests that wait for memory. Calls `on_change_` of each but the caller.
void RequestQueues::grant_memory(const RequestQueue::Space* caller) noexcept {
  while (!waiting_.empty()) {
    RequestQueue::Space& space = *waiting_.front();
    const std::size_t bytes = space.bytes_ + kRequestOverhead;
    if (!has_memory_for(bytes)) return;
    bytes_ += bytes;
    space.state_ = RequestQueue::Space::State::granted;
    waiting_.pop_front();
    if (&space != caller) catch_and_log("resuming a connection", space.on_change_);
  }
}

bool RequestQueues::take_memory(std::size_t bytes, bool is_first) noexcept {
  const std::lock_guard lock(mutex_);
  // Those that wait have come before.
  if (!is_first && (!waiting_.empty() || !has_memory_for(bytes + kRequestOverhead))) return false;
  bytes_ += bytes + kRequestOverhead;
  return true;
}

void RequestQueues::release_memory(std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  bytes_ -= bytes + kRequestOverhead;
  grant_memory(nullptr);
}

void RequestQueues::release(RequestQueue& queue, std::size_t bytes) noexcept {
  bytes_ -= bytes + kRequestOverhead;
  release_in_queue(queue, bytes);
}

void RequestQueues::release_in_queue(RequestQueue& queue, std::size_t bytes) noexcept {
  --queue.requests_;
  queue.bytes_ -= bytes;
  if (queue.requests_ == 0 && (queue.closed_ || stopping_)) {
    queue.changed_.notify_one();
    if (reactor_ != nullptr) reactor_->resume(queue);  // the turn removes it
  }
  admit(queue, nullptr);
}

// ---- service ----

RequestQueue::Served RequestQueue::serve_next() noexcept {
  ObjectRequest* request = nullptr;
  {
    const std::lock_guard lock(all_->mutex_);
    if (entries_.empty()) return Served::none;
    request = entries_.front().request.get();
  }
  if (!request->serve()) return Served::held;
  remove_first();
  return Served::one;
}

void RequestQueue::remove_first() noexcept {
  std::list<Entry> removed;
  {
    const std::lock_guard lock(all_->mutex_);
    removed.splice(removed.end(), entries_, entries_.begin());
  }
  const std::size_t bytes = removed.front().bytes;
  removed.clear();  // without the lock: sends CloseConnection if the connection waits for it
  const std::lock_guard lock(all_->mutex_);
  all_->release(*this, bytes);
}

void RequestQueue::serve_all(std::unique_lock<std::mutex>& lock) noexcept {
  while (!entries_.empty()) {
    lock.unlock();
    serve_next();
    lock.lock();
  }
}

bool RequestQueue::take_turn() noexcept {
  if (turn_ == nullptr) return true;
  const std::lock_guard lock(all_->mutex_);
  std::list<RequestQueue*>& waiting = turn_->waiting;
  const bool waits = place_.empty();
  if (turn_->taken) {
    if (!waits) waiting.splice(waiting.end(), place_);
    return false;
  }
  if (waits) place_.splice(place_.end(), waiting, node_);
  turn_->taken = true;
  return true;
}

void RequestQueue::end_turn() noexcept {
  if (turn_ == nullptr) return;
  const std::lock_guard lock(all_->mutex_);
  turn_->taken = false;
  if (turn_->waiting.empty()) return;
  // Its turn, even if it finds no request, resumes the next one.
  RequestQueue& next = *turn_->waiting.front();
  next.place_.splice(next.place_.end(), turn_->waiting, next.node_);
  all_->reactor_->resume(next);
}

EventHandler::TurnResult RequestQueue::handle_event() noexcept {
  if (!take_turn()) return TurnResult::parked;
  const Served served = serve_next();
  end_turn();
  if (served == Served::held) return TurnResult::parked;  // until the POA manager changes its state
  const std::lock_guard lock(all_->mutex_);
  if (!entries_.empty()) return TurnResult::ready;
  return closed_ && requests_ == 0 ? TurnResult::remove : TurnResult::parked;
}

/// Serves all requests at the shutdown. Those held by a POA manager are discarded.
void RequestQueue::drain() noexcept {
  for (;;) {
    switch (serve_next()) {
      case Served::none: return;
      case Served::one: break;
      case Served::held: remove_first(); break;
    }
  }
}

void RequestQueue::close() noexcept {
  if (pool_owner_ != nullptr) return;  // it is in no reactor
  {
    const std::lock_guard lock(all_->mutex_);
    closed_ = true;
    for (Space* const space : waiting_) {
      space->state_ = Space::State::none;
      catch_and_log("resuming a connection", space->on_change_);
    }
    waiting_.clear();
    changed_.notify_one();
  }
  if (all_->reactor_ != nullptr) all_->reactor_->resume(*this);  // the turn removes it
}

std::size_t RequestQueue::requests() const {
  const std::lock_guard lock(all_->mutex_);
  return requests_;
}

RequestQueues::RequestQueues(const Options& options, Reactor* reactor, std::size_t max_threads)
    : options_(options), reactor_(reactor), max_threads_(max_threads),
      waiting_budget_(std::make_unique<ServiceBudget>(options.reply_bytes(), 0)) {}

RequestQueues::~RequestQueues() = default;

std::shared_ptr<RequestQueue> RequestQueues::make(const RequestQueue::Limits& limits,
                                                  std::shared_ptr<RequestQueue::SharedTurn> turn,
                                                  std::shared_ptr<const RealTimeAdapter> pool_owner,
                                                  std::int16_t object_priority) {
  // With one thread, none waits for another; and a servant may be called again by a callback.
  if (reactor_ == nullptr || reactor_->single()) turn = nullptr;
  auto queue = std::make_shared<RequestQueue>(shared_from_this(), limits, std::move(turn),
                                              std::move(pool_owner), object_priority);
  in_use_.store(true, std::memory_order_release);
  if (queue->pool_owner_ != nullptr) return queue;  // in no reactor
  queue->stopped_ = reactor_ != nullptr && !reactor_->add(queue);
  return queue;
}

std::size_t RequestQueues::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

bool RequestQueues::start_thread(const std::shared_ptr<RequestQueue>& queue) noexcept {
  const auto warn = [](const std::string& why) {
    log::write_limited(log::Level::warn, "no thread for a request queue", "", [&] {
      return "requests served by the connection's thread: no thread for their queue: " + why;
    });
  };
  queue->changed_.notify_one();
  if (queue->has_thread_) return true;
  if (stopping_) return false;
  if (threads_ >= max_threads_) {
    catch_and_log("starting the thread of a request queue",
                  [&] { warn(std::to_string(threads_) + " queues have one"); });
    return false;
  }
  std::list<Worker> added;
  try {
    Worker& worker = added.emplace_back();
    worker.queue = queue;
    worker.thread = std::thread([this, &worker] {
      catch_and_log("setting up the thread of a request queue", [&] { options_.set_up_thread("ow-queue"); });
      work(worker);
    });
  } catch (const std::exception& e) {  // no thread, or no memory for it
    catch_and_log("starting the thread of a request queue", [&] { warn(e.what()); });
    return false;
  }
  workers_.splice(workers_.end(), added);  // the new thread waits for the lock
  ++threads_;
  queue->has_thread_ = true;
  return true;
}

/// Serves one queue until it has had no request for kIdleTime. Joins the threads that have ended before: they
/// are at their end, but destructors of their thread-local objects may need the lock.
void RequestQueues::work(Worker& self) noexcept {
  const std::shared_ptr<RequestQueue> queue = self.queue;
  std::list<Worker> ended;
  std::unique_lock lock(mutex_);
  for (bool idle = false;;) {
    if (!queue->entries_.empty()) idle = false;
    queue->serve_all(lock);
    if (queue->requests_ == 0 && (idle || queue->closed_ || stopping_)) break;
    idle = queue->changed_.wait_for(lock, kIdleTime) == std::cv_status::timeout;
  }
  queue->has_thread_ = false;
  for (auto worker = workers_.begin(); worker != workers_.end();) {
    const auto each = worker++;
    if (each->ended) ended.splice(ended.end(), workers_, each);
  }
  --threads_;
  self.queue = nullptr;
  self.ended = true;
  lock.unlock();
  for (Worker& each : ended) each.thread.join();
}

void RequestQueues::stop() noexcept {
  for (;;) {
    std::list<Worker> ending;
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      for (Worker& worker : workers_) {
        if (worker.queue != nullptr) worker.queue->changed_.notify_one();
      }
      ending.swap(workers_);
    }
    if (ending.empty()) return;
    for (Worker& worker : ending) worker.thread.join();
  }
}

}  // namespace orbweaver::orb
