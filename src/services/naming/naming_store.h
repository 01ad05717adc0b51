#pragma once

#include <orbweaver/result.h>

#include "base/durability.h"
#include "services/naming/naming_state.h"

namespace orbweaver::naming {

/// Keeps the state of a naming service beyond its process. Called by one thread at a time.
class NamingStore {
 public:
  virtual ~NamingStore() = default;
  /// Makes a change permanent, as a whole: when the function returns, the change survives what `durability`
  /// says. After an error, the stored state is what it was before.
  /// Errors: unavailable (no space, no access, a failed disk).
  virtual Result<void> commit(const Change& change, Durability durability = Durability::machine) = 0;
  /// Makes all changes survive the end of the machine. Errors: as commit().
  virtual Result<void> flush() = 0;
};

}  // namespace orbweaver::naming
