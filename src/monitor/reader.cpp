#include "monitor/reader.h"

#include <algorithm>
#include <chrono>

#include "base/catch_and_log.h"
#include "monitor/document.h"
#include "platform/thread.h"

namespace orbweaver::monitor {
namespace {

/// A wait without a deadline is divided: times at the end of the clock's range overflow.
constexpr std::chrono::nanoseconds kLongWait = std::chrono::hours(1);

template <class Condition>
void wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                platform::Deadline deadline, Condition condition) {
  while (!condition() && !deadline.passed()) {
    const std::chrono::nanoseconds left(deadline.ns - platform::now_ns());
    changed.wait_for(lock, std::clamp(left, std::chrono::nanoseconds(1), kLongWait));
  }
}

}  // namespace

const std::string& Reading::text() const {
  std::call_once(once_, [this] { text_ = text_of(document); });
  return text_;
}

Reader::Reader(Source& source, std::int64_t period_ns) : source_(source), period_ns_(period_ns) {
  thread_ = std::thread([this] {
    platform::name_this_thread("ow-monitor");
    run();
  });
}

Reader::~Reader() {
  stop();
  thread_.join();
}

Reader::Watch::Watch(Reader& reader) : reader_(reader) {
  const std::lock_guard lock(reader_.mutex_);
  ++reader_.watches_;
  reader_.changed_.notify_all();
}

Reader::Watch::~Watch() {
  const std::lock_guard lock(reader_.mutex_);
  --reader_.watches_;
}

std::size_t Reader::watches() const {
  const std::lock_guard lock(mutex_);
  return watches_;
}

bool Reader::is_fresh(std::int64_t started_ns, std::int64_t oldest_ns) const {
  return started_ns > 0 && started_ns >= std::max(oldest_ns, refreshed_ns_);
}

Reader::ReadingRef Reader::latest(platform::Deadline deadline) {
  std::unique_lock lock(mutex_);
  const std::int64_t oldest_ns = platform::now_ns() - period_ns_;
  wait_until(changed_, lock, deadline, [&] {
    if (stopped_ || (reading_ && is_fresh(reading_->started_ns, oldest_ns))) return true;
    if (is_fresh(begun_ns_, oldest_ns)) return false;
    if (!wanted_) changed_.notify_all();
    wanted_ = true;  // again, if a reading has begun before refresh()
    return false;
  });
  return reading_;
}

Reader::ReadingRef Reader::newer(std::uint64_t version, platform::Deadline deadline) {
  std::unique_lock lock(mutex_);
  const auto is_newer = [&] { return reading_ && reading_->version > version; };
  wait_until(changed_, lock, deadline, [&] { return stopped_ || is_newer(); });
  return !stopped_ && is_newer() ? reading_ : nullptr;
}

void Reader::refresh() {
  const std::lock_guard lock(mutex_);
  refreshed_ns_ = platform::now_ns();
  if (watches_ > 0) wanted_ = true;
  changed_.notify_all();
}

void Reader::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

void Reader::run() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    const std::int64_t due_ns = reading_ ? reading_->started_ns + period_ns_ : 0;
    if (wanted_ || (watches_ > 0 && platform::now_ns() >= due_ns)) {
      read(lock);
    } else if (watches_ > 0) {
      const std::int64_t left = std::max<std::int64_t>(due_ns - platform::now_ns(), 1);
      changed_.wait_for(lock, std::chrono::nanoseconds(left));
    } else {
      changed_.wait(lock);
    }
  }
}

void Reader::read(std::unique_lock<std::mutex>& lock) {
  wanted_ = false;
  begun_ns_ = platform::now_ns();
  const ReadingRef before = reading_;
  lock.unlock();
  const auto reading = std::make_shared<Reading>();
  reading->started_ns = begun_ns_;
  const bool done = catch_and_log("reading the domain", [&] {
    reading->snapshot = source_.read();
    reading->snapshot.read_ns = platform::now_ns();
    rates_.update(reading->snapshot);
  });
  if (!done) {
    reading->snapshot = before ? before->snapshot : Snapshot();
    reading->snapshot.problem = "the domain cannot be read; the log says why";
  }
  reading->document = document_of(reading->snapshot, rates_);
  reading->version = before ? before->version + 1 : 1;
  if (before) reading->patch = text_of(merge_patch(before->document, reading->document));
  reading->duration_ns = platform::now_ns() - reading->started_ns;
  lock.lock();
  reading_ = reading;
  begun_ns_ = 0;
  changed_.notify_all();
}

}  // namespace orbweaver::monitor
