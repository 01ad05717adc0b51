#pragma once

#include <orbweaver/services/log_service.h>

#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace orbweaver::services::lwlog {

/// The records of a log and its state. Thread-safe.
class RecordStore {
 public:
  explicit RecordStore(const LogOptions& options);

  /// Stores a record with the next id and this time, or discards it.
  void write(LogEntry entry, std::int64_t time_ns);

  /// The result of read().
  struct Records {
    std::vector<LogEntry> entries;
    std::uint64_t next_id = 0;  ///< With which the next call continues.
  };
  /// Returns records from `first` on that match: at most `count`, and `max_bytes` but for the first one. An
  /// empty function matches all. Each string is copied up to `max_string_bytes`.
  Records read(std::uint64_t first, std::size_t count, std::size_t max_bytes,
               const std::function<bool(const LogEntry&)>& matches,
               std::size_t max_string_bytes = std::string::npos) const;
  /// Id of the oldest record of this time or a later one; otherwise of the next record to come.
  std::uint64_t id_from_time(std::int64_t time_ns) const;

  std::uint64_t max_size() const;
  /// Empty, or why the size is not possible; then it is unchanged.
  std::string set_max_size(std::uint64_t size);
  bool halts_when_full() const;
  void set_halt_when_full(bool halt);
  bool locked() const;
  void set_locked(bool locked);
  /// Whether a record has been discarded for want of space, which has not increased since.
  bool full() const;
  void clear();
  /// Removes all records, and discards all later ones.
  void end();
  LogCounts counts() const;

 private:
  bool fits(std::size_t bytes) const;
  void remove_all();

  const LogOptions options_;
  mutable std::mutex mutex_;
  std::uint64_t max_size_;
  bool halt_;
  bool locked_ = false;
  bool full_ = false;
  bool ended_ = false;
  std::uint64_t next_id_ = 1;
  std::deque<LogEntry> entries_;  // ids without gaps
  LogCounts counts_;
};

}  // namespace orbweaver::services::lwlog
