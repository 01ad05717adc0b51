#include "orb/reactor.h"

#include <array>
#include <utility>
#include <vector>

namespace orbweaver::orb {
namespace {

// Tags of the set that are no source's.
constexpr std::uint64_t kMore = 0;
constexpr std::uint64_t kStop = 1;

constexpr std::int64_t kPatience_ms = 1000;  // at the shutdown, with clients that do not take their replies

}  // namespace

Reactor::Reactor() : owner_(std::this_thread::get_id()) {
  set_.add(more_.fd().get(), kMore, platform::PollSet::Report::once);
  set_.add(stop_.fd().get(), kStop, platform::PollSet::Report::always);
  last_id_ = kStop;
}

Reactor::~Reactor() {
  stop(platform::Deadline{0});
  finish();
}

bool Reactor::add(std::shared_ptr<Source> source) {
  const std::lock_guard lock(mutex_);
  const int fd = source->descriptor();
  if (fd < 0 || stopping()) return false;
  source->id_ = ++last_id_;
  // Reported before its first turn, it is found queued: that turn arms it.
  if (set_.add(fd, source->id_, platform::PollSet::Report::once) != 0) return false;
  Source& added = *source;
  sources_.emplace(added.id_, std::move(source));
  queue(added);
  return true;
}

void Reactor::queue(Source& source) {
  source.state_ = Source::State::queued;
  source.next_queued_ = nullptr;
  if (first_queued_ != nullptr) {
    last_queued_->next_queued_ = &source;
  } else {
    first_queued_ = &source;
    more_.notify();
  }
  last_queued_ = &source;
}

void Reactor::resume(Source& source) {
  const std::lock_guard lock(mutex_);
  if (source.state_ == Source::State::parked) queue(source);
  if (source.state_ == Source::State::running) source.resumed_ = true;
}

void Reactor::resume_all() {
  const std::lock_guard lock(mutex_);
  for (auto& [id, source] : sources_) {
    if (source->state_ == Source::State::parked) queue(*source);
    if (source->state_ == Source::State::running) source->resumed_ = true;
  }
}

/// Whose turn it is by that tag; null: nobody's.
Source* Reactor::take(std::uint64_t tag) {
  const std::lock_guard lock(mutex_);
  if (stopping()) return nullptr;
  Source* source = nullptr;
  if (tag == kMore) {
    if (first_queued_ != nullptr) source = std::exchange(first_queued_, first_queued_->next_queued_);
    if (first_queued_ == nullptr) more_.drain();
    set_.again(more_.fd().get(), kMore);
  } else if (const auto known = sources_.find(tag); known != sources_.end()) {
    if (known->second->state_ == Source::State::waiting) source = known->second.get();
  }
  if (source == nullptr) return nullptr;
  source->state_ = Source::State::running;
  source->resumed_ = false;
  ++turns_;
  return source;
}

bool Reactor::step(platform::Deadline deadline) {
  Source* const source = next(deadline);
  if (source != nullptr) run(*source);
  return source != nullptr;
}

Source* Reactor::next(platform::Deadline deadline) {
  for (;;) {
    std::array<std::uint64_t, 1> ready{};
    if (stopping() || set_.wait(ready, deadline) == 0 || ready[0] == kStop) return nullptr;
    if (Source* source = take(ready[0])) return source;
  }
}

void Reactor::run(Source& source) { finish_turn(source, source.turn()); }

void Reactor::finish_turn(Source& source, Source::After after) {
  std::shared_ptr<Source> ended;  // destroyed behind the lock
  const std::lock_guard lock(mutex_);
  if (after == Source::After::parked && source.resumed_) after = Source::After::again;
  switch (after) {
    case Source::After::armed:
      source.state_ = Source::State::waiting;
      set_.again(source.descriptor(), source.id_);
      break;
    case Source::After::again:
      queue(source);
      break;
    case Source::After::parked:
      source.state_ = Source::State::parked;
      break;
    case Source::After::ended:
      set_.remove(source.descriptor());
      const auto known = sources_.find(source.id_);
      ended = std::move(known->second);
      sources_.erase(known);
      break;
  }
  --turns_;
  ended_.notify_all();
}

bool Reactor::has_work() noexcept { return !stopping() && platform::poll(fd(), platform::kReadable, {0}) != 0; }

bool Reactor::enter(AsOwner how) {
  const std::lock_guard lock(mutex_);
  const auto self = std::this_thread::get_id();
  if (owner_.load(std::memory_order_relaxed) != self) {
    if (how == AsOwner::only || depth_.load(std::memory_order_relaxed) != 0) return false;
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
  if (!enter(AsOwner::or_new)) return;
  step(deadline);
  leave();
}

bool Reactor::run() {
  if (!enter(AsOwner::or_new)) return false;
  while (!stopping()) step(platform::Deadline::never());
  leave();
  return true;
}

void Reactor::serve_while_waiting(platform::Deadline deadline) {
  if (!enter(AsOwner::only)) return;
  step(deadline);
  leave();
}

void Reactor::wake() {
  stopping_.store(true, std::memory_order_release);
  stop_.notify();
}

void Reactor::stop(platform::Deadline patience) {
  std::vector<std::shared_ptr<Source>> all;
  {
    const std::lock_guard lock(mutex_);
    wake();
    for (auto& [id, source] : sources_) all.push_back(source);
  }
  // The requests of one connection may wait for those of another: all are told before any is waited for.
  for (auto& source : all) source->close_in_order(patience);
}

void Reactor::end_stuck() {
  std::vector<std::shared_ptr<Source>> all;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [id, source] : sources_) all.push_back(source);
  }
  for (auto& source : all) source->end_if_stuck();
}

void Reactor::finish() {
  std::map<std::uint64_t, std::shared_ptr<Source>> all;
  {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return turns_ == 0; });
    for (auto& [id, source] : sources_) set_.remove(source->descriptor());
    all.swap(sources_);
    first_queued_ = last_queued_ = nullptr;
  }
  const auto patience = platform::Deadline::in_ms(kPatience_ms);
  for (auto& [id, source] : all) source->give_up(patience);
}

}  // namespace orbweaver::orb
