#include "realtime/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include "base/catch_and_log.h"
#include "base/log.h"
#include "realtime/minor_codes.h"
#include "realtime/thread_priority.h"

namespace orbweaver::realtime {
namespace {

/// Time for which a dynamic thread waits for another request.
constexpr std::chrono::seconds kIdleTime(5);

}  // namespace

/// See LanePool::Place. The members are guarded by the lock of the pool.
class ThreadPool::PlaceImpl final : public Place {
 public:
  PlaceImpl(std::shared_ptr<ThreadPool> pool, Lane& wanted, std::size_t message_bytes,
            std::function<void()> call)
      : pool_(std::move(pool)), bytes(message_bytes), on_granted(std::move(call)), lane(&wanted) {}
  ~PlaceImpl() override {
    const std::lock_guard lock(pool_->mutex_);
    if (state == State::waiting) lane->waiting.remove(this);
    if (state == State::granted) {
      --lane->reserved;
      if (is_buffered) pool_->release_buffer(bytes);
    }
    if (state != State::used) pool_->grant_waiting();
  }
  bool is_granted() override {
    const std::lock_guard lock(pool_->mutex_);
    return state == State::granted;
  }
  void put(std::unique_ptr<orb::ObjectRequest> request) override {
    std::list<Thread> ended;  // joined without the lock
    bool starts = false;
    {
      const std::lock_guard lock(pool_->mutex_);
      lane->entries.push_back({std::move(request), bytes, is_buffered});
      state = State::used;
      --lane->reserved;
      starts = lane->entries.size() > lane->idle && lane->threads < lane->max_threads();
      if (starts) {
        pool_->count_thread(*lane);
        ended = pool_->take_ended();
      }
      lane->wake.notify_one();
    }
    if (!starts || pool_->start_thread(*lane, false)) return;
    // No thread could be started: if the lane has none, the connection's executes its requests.
    std::unique_lock lock(pool_->mutex_);
    while (lane->threads == 0 && pool_->serve_next(*lane, lock)) {
    }
  }

  enum class State : std::uint8_t { waiting, granted, used };
  const std::shared_ptr<ThreadPool> pool_;
  const std::size_t bytes;
  const std::function<void()> on_granted;
  Lane* lane;
  State state = State::waiting;
  bool is_buffered = false;
};

ThreadPool::ThreadPool(Settings settings, const orb::Options& options,
                       std::shared_ptr<orb::RequestQueues> queues)
    : settings_(std::move(settings)), options_(options), queues_(std::move(queues)) {
  for (const RTCORBA::ThreadpoolLane& lane : settings_.lanes) lanes_.emplace_back().settings = lane;
}

ThreadPool::~ThreadPool() {
  for (Thread& each : threads_) {
    if (each.thread->is_this_thread()) each.thread->detach();
  }
}

void ThreadPool::start() {
  bool started = true;
  for (Lane& lane : lanes_) {
    for (std::uint32_t n = 0; started && n < lane.settings.static_threads(); ++n) {
      {
        const std::lock_guard lock(mutex_);
        count_thread(lane);
      }
      started = start_thread(lane, true);
    }
  }
  if (started) return;
  stop();
  throw CORBA::NO_RESOURCES(minor::kOutOfResources, CORBA::CompletionStatus::COMPLETED_NO,
                            "cannot start the static threads of a thread pool");
}

ThreadPool::Lane& ThreadPool::lane_of(std::int16_t priority) noexcept {
  Lane* found = &lanes_.front();
  for (Lane& lane : lanes_) {
    if (lane.settings.lane_priority() <= priority) found = &lane;
  }
  return *found;
}

ThreadPool::Lane* ThreadPool::lane_with_room(Lane& lane) noexcept {
  if (lane.has_room()) return &lane;
  if (!settings_.borrows) return nullptr;
  Lane* found = nullptr;
  for (Lane& each : lanes_) {  // the last one that is lower
    if (&each == &lane) break;
    if (each.has_room()) found = &each;
  }
  return found;
}

/// Takes a place in the buffer. False: it is full, or the memory of all requests that wait.
bool ThreadPool::take_buffer(std::size_t bytes) noexcept {
  if (!settings_.buffers || (settings_.max_requests != 0 && buffered_requests_ >= settings_.max_requests))
    return false;
  if (settings_.max_bytes != 0 && buffered_bytes_ + bytes > settings_.max_bytes) return false;
  if (queues_ != nullptr && !queues_->take_memory(bytes, buffered_requests_ == 0)) return false;
  ++buffered_requests_;
  buffered_bytes_ += bytes;
  return true;
}

void ThreadPool::release_buffer(std::size_t bytes) noexcept {
  --buffered_requests_;
  buffered_bytes_ -= bytes;
  if (queues_ != nullptr) queues_->release_memory(bytes);
}

std::unique_ptr<orb::LanePool::Place> ThreadPool::reserve(std::int16_t priority, std::size_t bytes,
                                                          std::function<void()> on_granted) {
  Lane& wanted = lane_of(priority);
  auto place = std::make_unique<PlaceImpl>(shared_from_this(), wanted, bytes, std::move(on_granted));
  {
    const std::lock_guard lock(mutex_);
    Lane* const lane = wanted.waiting.empty() ? lane_with_room(wanted) : nullptr;
    if (lane != nullptr || take_buffer(bytes)) {
      place->lane = lane != nullptr ? lane : &wanted;
      place->is_buffered = lane == nullptr;
      place->state = PlaceImpl::State::granted;
      ++place->lane->reserved;
      return place;
    }
    if (!settings_.buffers) {
      wanted.waiting.push_back(place.get());
      return place;
    }
    place->state = PlaceImpl::State::used;
  }
  return nullptr;
}

void ThreadPool::grant_waiting() noexcept {
  for (auto wanted = lanes_.rbegin(); wanted != lanes_.rend(); ++wanted) {
    while (!wanted->waiting.empty()) {
      Lane* const lane = lane_with_room(*wanted);
      if (lane == nullptr) break;
      PlaceImpl& place = *wanted->waiting.front();
      wanted->waiting.pop_front();
      place.lane = lane;
      place.state = PlaceImpl::State::granted;
      ++lane->reserved;
      catch_and_log("resuming a connection", place.on_granted);
    }
  }
}

void ThreadPool::count_thread(Lane& lane) noexcept {
  ++lane.threads;
  ++starting_;
}

std::list<ThreadPool::Thread> ThreadPool::take_ended() noexcept {
  std::list<Thread> ended;
  for (auto thread = threads_.begin(); thread != threads_.end();) {
    const auto each = thread++;
    if (each->ended) ended.splice(ended.end(), threads_, each);
  }
  return ended;
}

bool ThreadPool::start_thread(Lane& lane, bool is_static) noexcept {
  std::list<Thread> added;
  bool is_started = false;
  try {
    Thread& self = added.emplace_back();
    self.lane = &lane;
    self.is_static = is_static;
    self.thread = std::make_unique<platform::SizedThread>();
    auto owned = std::make_unique<Work>(Work{shared_from_this(), self});
    const auto run = [](void* argument) -> void* {
      const std::unique_ptr<Work> work(static_cast<Work*>(argument));
      work->pool->work(work->self);
      return nullptr;
    };
    if (const int error = self.thread->start(settings_.stack_bytes, run, owned.get()); error != 0)
      throw std::system_error(error, std::generic_category());
    (void)owned.release();  // the thread has it
    is_started = true;
  } catch (const std::exception& e) {
    catch_and_log("starting a thread of a thread pool", [&] {
      log::write_limited(log::Level::warn, "no thread for a thread pool", "",
                         [&] { return std::string("no thread for a thread pool: ") + e.what(); });
    });
  }
  const std::lock_guard lock(mutex_);
  if (is_started)
    threads_.splice(threads_.end(), added);  // it may have ended already
  else
    --lane.threads;
  --starting_;
  started_.notify_all();
  return is_started;
}

bool ThreadPool::take(Lane& lane, Entry& entry) noexcept {
  Lane* from = &lane;
  if (settings_.borrows) {
    // A lane above with more requests than threads.
    for (auto each = lanes_.rbegin(); &*each != &lane; ++each) {
      if (each->entries.empty() || each->idle != 0) continue;
      from = &*each;
      break;
    }
  }
  if (from->entries.empty()) return false;
  entry = std::move(from->entries.front());
  from->entries.pop_front();
  if (entry.is_buffered) release_buffer(entry.bytes);
  return true;
}

bool ThreadPool::serve_next(Lane& lane, std::unique_lock<std::mutex>& lock) noexcept {
  Entry entry{nullptr, 0, false};
  if (!take(lane, entry)) return false;
  ++lane.busy;
  lock.unlock();
  const std::int16_t priority = thread_priority();
  // False: a POA manager still holds the request at the shutdown of the ORB, which discards it.
  (void)entry.request->serve();
  entry.request = nullptr;
  restore_thread_priority(priority);  // a servant may have set another one
  lock.lock();
  --lane.busy;
  grant_waiting();
  return true;
}

void ThreadPool::work(Thread& self) noexcept {
  Lane& lane = *self.lane;
  const std::int16_t priority = lane.settings.lane_priority();
  catch_and_log("setting up a thread of a thread pool",
                [&] { options_.set_up_thread("ow-lane-" + std::to_string(priority)); });
  set_orb_thread_priority(priority);
  std::unique_lock lock(mutex_);
  for (bool has_waited = false;;) {
    if (serve_next(lane, lock)) {
      has_waited = false;
      continue;
    }
    if (stopping_ || has_waited) break;
    ++lane.idle;
    if (self.is_static)
      lane.wake.wait(lock);
    else
      has_waited = lane.wake.wait_for(lock, kIdleTime) == std::cv_status::timeout;
    --lane.idle;
  }
  --lane.threads;
  self.ended = true;
}

bool ThreadPool::is_idle() {
  const std::lock_guard lock(mutex_);
  return std::all_of(lanes_.begin(), lanes_.end(),
                     [](const Lane& lane) { return lane.entries.empty() && lane.busy == 0; });
}

void ThreadPool::stop() noexcept {
  std::list<Thread> ending;
  std::unique_lock lock(mutex_);
  stopping_ = true;
  for (Lane& lane : lanes_) lane.wake.notify_all();
  started_.wait(lock, [this] { return starting_ == 0; });
  for (auto thread = threads_.begin(); thread != threads_.end();) {
    const auto each = thread++;
    if (!each->thread->is_this_thread()) ending.splice(ending.end(), threads_, each);
  }
  const bool is_own = !threads_.empty();  // the calling thread ends with `self` in the list
  ++joining_;
  lock.unlock();
  for (Thread& each : ending) each.thread->join();
  lock.lock();
  --joining_;
  started_.notify_all();
  if (!is_own) started_.wait(lock, [this] { return joining_ == 0; });
}

bool ThreadPool::has_ended() {
  const std::lock_guard lock(mutex_);
  return stopping_ && threads_.empty() && joining_ == 0;
}

}  // namespace orbweaver::realtime
