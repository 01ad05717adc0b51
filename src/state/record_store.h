#pragma once

#include <orbweaver/result.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "state/sqlite_file.h"

namespace orbweaver::state {

/// A change of one record.
struct RecordChange {
  std::string key;                   ///< "application/rx_1"
  std::optional<std::string> value;  ///< The new value; empty: the record is removed.
};

/// Records, each a key and a value, that survive the process: the state of a service. Called by one thread at
/// a time.
class RecordStore {
 public:
  virtual ~RecordStore() = default;
  /// Returns all records.
  /// Errors: invalid if the state is damaged, unavailable if it cannot be read.
  virtual Result<std::map<std::string, std::string>> read_all() = 0;
  /// Makes all changes, or none. They are permanent when the function returns.
  /// Errors: unavailable if there is no space or no access; the records are what they were before.
  virtual Result<void> commit(const std::vector<RecordChange>& changes) = 0;
};

/// Opens or creates a store in a file of SQLite whose format has no schema of its own.
/// Errors: as SqliteFile::open().
Result<std::unique_ptr<RecordStore>> open_record_file(const std::string& path, SqliteFormat format);

/// Creates an empty store in memory, which ends with the process.
std::unique_ptr<RecordStore> make_memory_records();

}  // namespace orbweaver::state
