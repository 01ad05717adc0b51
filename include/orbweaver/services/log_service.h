#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <orbweaver/poa.h>

/// @file
/// A log of the OMG Lightweight Log Service 1.1 in this process. docs/events.md, "The log".

namespace orbweaver::services {

/// Properties of a log. A plain value.
struct LogOptions {
  std::uint64_t max_size = 1 << 20;     ///< Size in bytes, which set_max_size() changes; at least 1.
  std::uint64_t size_limit = 64 << 20;  ///< Largest size that set_max_size() accepts, in bytes.
  std::size_t max_records = 65'536;     ///< Largest number of records; at least 1.
  bool halt_when_full = false;          ///< HALT instead of WRAP.
  std::size_t reply_bytes = std::size_t{1}
                            << 20;  ///< Size of the records of one reply, but for a single one.
  bool clients_may_destroy = true;  ///< Whether destroy() by a client is accepted; otherwise NO_PERMISSION.
};

/// A record of a log. A plain value.
struct LogEntry {
  std::uint64_t id = 0;       ///< Number of the record in its log, from 1.
  std::int64_t time_ns = 0;   ///< When the log received it, in nanoseconds since 1970-01-01 00:00 UTC.
  std::string producer_id;    ///< Id of the producer: the identifier of a component.
  std::string producer_name;  ///< Name of the producer.
  std::uint16_t level = 0;  ///< CosLwLog: 1 (SECURITY_ALARM) to 9 (STATISTIC_REPORT), 10 to 26 for debugging.
  std::string data;         ///< Message.
};

/// The size of a record in a log, in bytes: its strings, and a constant for the rest.
inline std::size_t size_of(const LogEntry& entry) {
  return sizeof(LogEntry) + entry.producer_id.size() + entry.producer_name.size() + entry.data.size();
}

/// Counters of a log since its creation: written = stored now + overwritten + cleared.
struct LogCounts {
  std::uint64_t written = 0;           ///< Records stored.
  std::uint64_t overwritten = 0;       ///< Stored records removed to make space (WRAP).
  std::uint64_t cleared = 0;           ///< Stored records removed by clear_log().
  std::uint64_t discarded_full = 0;    ///< Records not stored: no space (HALT), or larger than the log.
  std::uint64_t discarded_locked = 0;  ///< Records not stored: the log was locked.
  std::uint64_t records = 0;           ///< Records in the log now.
  std::uint64_t bytes = 0;             ///< Their size.
};

/// @cond internal
namespace lwlog {
class RecordStore;
}
/// @endcond

/// Hosts one log, in memory. All functions may be called by any thread.
class LightweightLog {
 public:
  /// Creates the log and activates it in `poa`, which must have SYSTEM_ID. Throws std::invalid_argument for
  /// invalid options; raises what activate_object raises.
  explicit LightweightLog(const CORBA::object_reference<PortableServer::POA>& poa,
                          const LogOptions& options = {});
  /// As destroy().
  ~LightweightLog();
  LightweightLog(const LightweightLog&) = delete;
  LightweightLog& operator=(const LightweightLog&) = delete;

  /// The log for clients: a reference of the interface IDL:omg.org/CosLwLog/Log:1.0, to be narrowed.
  CORBA::object_reference<CORBA::Object> reference() const { return reference_; }

  /// Writes a record, whose id and time the log assigns; as write_record() of a client.
  void write(LogEntry entry);
  /// Returns the records from `first` on, the oldest first: at most `count`. Of strings that are longer than
  /// `max_string_bytes`, the rest is left out.
  std::vector<LogEntry> read(std::uint64_t first, std::size_t count,
                             std::size_t max_string_bytes = std::string::npos) const;
  /// Counters.
  LogCounts counts() const;

  /// Removes all records and ends the log for clients, for which it then does not exist. Later records are
  /// discarded. Idempotent.
  void destroy() noexcept;

 private:
  std::shared_ptr<lwlog::RecordStore> store_;
  CORBA::object_reference<PortableServer::POA> poa_;
  PortableServer::ObjectId id_;
  CORBA::object_reference<CORBA::Object> reference_;
};

}  // namespace orbweaver::services
