#pragma once

#include <orbweaver/result.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/durability.h"

namespace orbweaver::state {

/// A change of one record.
struct RecordChange {
  std::string key;                   ///< "application/rx_1"
  std::optional<std::string> value;  ///< The new value; empty: the record is removed.
};

/// Records, each a key and a value, that survive the process: the state of a service. Keys and values are any
/// octets. Called by one thread at a time. What every store guarantees is tested by the conformance suite
/// testing/record_store_contract.h.
class RecordStore {
 public:
  virtual ~RecordStore() = default;
  /// Returns all records.
  /// Errors: invalid if the state is damaged, unavailable if it cannot be read.
  virtual Result<std::map<std::string, std::string>> read_all() = 0;
  /// Makes all changes, those of one key in their order, or none. When the function returns, they survive
  /// what `durability` says: changes of which a caller is told, or that nothing else could tell after a crash
  /// of the machine, are made with `machine`. A store may make all of them so. A later change survives only
  /// together with all earlier ones.
  /// A store in a file keeps some space for changes that add nothing: they are made on a full disk, too.
  /// Errors: unavailable if there is no space or no access, or a record is larger than the store admits; the
  /// records are what they were before. If a shared state (shared_state.h) could not tell whether a change
  /// was made, no later change succeeds, and this process loses the state.
  virtual Result<void> commit(const std::vector<RecordChange>& changes,
                              Durability durability = Durability::machine) = 0;
};

/// Creates an empty store in memory, which ends with the process.
std::unique_ptr<RecordStore> make_memory_records();

}  // namespace orbweaver::state
