#include "services/log/record_store.h"

#include <algorithm>
#include <stdexcept>

namespace orbweaver::services::lwlog {
namespace {

LogEntry copy_of(const LogEntry& entry, std::size_t max_string_bytes) {
  return {entry.id,
          entry.time_ns,
          entry.producer_id.substr(0, max_string_bytes),
          entry.producer_name.substr(0, max_string_bytes),
          entry.level,
          entry.data.substr(0, max_string_bytes)};
}

}  // namespace

RecordStore::RecordStore(const LogOptions& options)
    : options_(options), max_size_(options.max_size), halt_(options.halt_when_full) {
  if (options.max_size == 0 || options.max_records == 0)
    throw std::invalid_argument("LogOptions: a log of size 0");
  if (options.max_size > options.size_limit)
    throw std::invalid_argument("LogOptions: max_size exceeds size_limit");
}

bool RecordStore::fits(std::size_t bytes) const {
  return counts_.bytes + bytes <= max_size_ && entries_.size() < options_.max_records;
}

void RecordStore::write(LogEntry entry, std::int64_t time_ns) {
  const std::size_t bytes = size_of(entry);
  std::deque<LogEntry> removed;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  if (locked_ || ended_) {
    ++counts_.discarded_locked;
    return;
  }
  if (bytes > max_size_ || (halt_ && !fits(bytes))) {
    ++counts_.discarded_full;
    full_ = full_ || halt_;
    return;
  }
  entry.id = next_id_;
  entry.time_ns = time_ns;
  while (!fits(bytes)) {
    counts_.bytes -= size_of(entries_.front());
    removed.push_back(std::move(entries_.front()));
    entries_.pop_front();
    ++counts_.overwritten;
  }
  entries_.push_back(std::move(entry));
  ++next_id_;
  counts_.bytes += bytes;
  ++counts_.written;
}

RecordStore::Records RecordStore::read(std::uint64_t first, std::size_t count, std::size_t max_bytes,
                                       const std::function<bool(const LogEntry&)>& matches,
                                       std::size_t max_string_bytes) const {
  Records records;
  std::size_t bytes = 0;
  const std::lock_guard lock(mutex_);
  records.next_id = std::max(first, next_id_ - entries_.size());
  for (; records.next_id < next_id_; ++records.next_id) {
    const LogEntry& entry = entries_[records.next_id - entries_.front().id];
    if (matches && !matches(entry)) continue;
    bytes += size_of(entry);
    if (records.entries.size() == count || (bytes > max_bytes && !records.entries.empty())) break;
    records.entries.push_back(copy_of(entry, max_string_bytes));
  }
  records.next_id = std::min(records.next_id, next_id_);  // `first` may be any number
  return records;
}

std::uint64_t RecordStore::id_from_time(std::int64_t time_ns) const {
  const std::lock_guard lock(mutex_);
  // The clock may have been set back, so that the times are not sorted.
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [time_ns](const LogEntry& entry) { return entry.time_ns >= time_ns; });
  return found == entries_.end() ? next_id_ : found->id;
}

std::uint64_t RecordStore::max_size() const {
  const std::lock_guard lock(mutex_);
  return max_size_;
}

std::string RecordStore::set_max_size(std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  if (size == 0) return "size 0";
  if (size > options_.size_limit)
    return "larger than " + std::to_string(options_.size_limit) + " octets, the limit of this log";
  if (size < counts_.bytes)
    return "smaller than the records in the log, " + std::to_string(counts_.bytes) +
           " octets: clear it first";
  full_ = full_ && size <= max_size_;
  max_size_ = size;
  return {};
}

bool RecordStore::halts_when_full() const {
  const std::lock_guard lock(mutex_);
  return halt_;
}

void RecordStore::set_halt_when_full(bool halt) {
  const std::lock_guard lock(mutex_);
  halt_ = halt;
  full_ = full_ && halt;
}

bool RecordStore::locked() const {
  const std::lock_guard lock(mutex_);
  return locked_;
}

void RecordStore::set_locked(bool locked) {
  const std::lock_guard lock(mutex_);
  locked_ = locked;
}

bool RecordStore::full() const {
  const std::lock_guard lock(mutex_);
  return full_;
}

/// With the lock held.
void RecordStore::remove_all() {
  counts_.cleared += entries_.size();
  counts_.bytes = 0;
  full_ = false;
  entries_.clear();
}

void RecordStore::clear() {
  const std::lock_guard lock(mutex_);
  remove_all();
}

void RecordStore::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  remove_all();
}

LogCounts RecordStore::counts() const {
  const std::lock_guard lock(mutex_);
  LogCounts counts = counts_;
  counts.records = entries_.size();
  return counts;
}

}  // namespace orbweaver::services::lwlog
