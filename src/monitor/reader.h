#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

#include "monitor/rates.h"
#include "monitor/source.h"
#include "platform/clock.h"

namespace orbweaver::monitor {

/// One reading of a domain. Constant.
struct Reading {
  std::uint64_t version = 0;     ///< 1, 2, 3, …
  std::int64_t started_ns = 0;   ///< When its reading began.
  std::int64_t duration_ns = 0;  ///< How long it took.
  Snapshot snapshot;
  nlohmann::json document;
  std::string patch;  ///< The merge patch from the reading before it.

  const std::string& text() const;  ///< Of the document. Any thread.

 private:
  mutable std::once_flag once_;
  mutable std::string text_;
};

/// Reads a domain in a thread of its own (`ow-monitor`): once a second while at least one watch exists, at
/// once when a reading is asked for, and not otherwise. Thread-safe.
class Reader {
 public:
  using ReadingRef = std::shared_ptr<const Reading>;

  /// `source` must outlive this. `period_ns`: between two readings, and the age that latest() accepts.
  explicit Reader(Source& source, std::int64_t period_ns = 1'000'000'000);
  ~Reader();

  /// Keeps the reader reading. Must not outlive it.
  class Watch {
   public:
    explicit Watch(Reader& reader);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    Reader& reader_;
  };

  /// A reading that began at most a period ago and after the last refresh(). Waits for one, at most until
  /// `deadline`; then an older one, or null.
  ReadingRef latest(platform::Deadline deadline);
  /// Waits for a reading with a version above `version`. Null at the deadline or when this is stopped.
  ReadingRef newer(std::uint64_t version, platform::Deadline deadline);
  /// Makes readings that have begun before this call too old. Called after a command.
  void refresh();
  /// Wakes threads that wait; nothing is read any more.
  void stop();

  std::size_t watches() const;

 private:
  void run();
  void read(std::unique_lock<std::mutex>& lock);
  bool is_fresh(std::int64_t started_ns, std::int64_t oldest_ns) const;  // with mutex_

  Source& source_;
  const std::int64_t period_ns_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t watches_ = 0;
  bool wanted_ = false;  // a reading is asked for
  bool stopped_ = false;
  std::int64_t begun_ns_ = 0;  // when the reading in progress began; 0: none
  std::int64_t refreshed_ns_ = 0;
  ReadingRef reading_;
  RateMeter rates_;  // of the thread
  std::thread thread_;
};

}  // namespace orbweaver::monitor
