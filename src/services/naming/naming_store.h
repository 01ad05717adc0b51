#pragma once

#include <orbweaver/result.h>

#include "services/naming/naming_state.h"

namespace orbweaver::naming {

/// Keeps the state of a naming service beyond its process. Called by one thread at a time.
class NamingStore {
 public:
  virtual ~NamingStore() = default;
  /// Makes a change permanent, as a whole: when the function returns, the change survives the end of the
  /// process and of the machine. After an error, the stored state is what it was before.
  /// Errors: unavailable (no space, no access, a failed disk).
  virtual Result<void> commit(const Change& change) = 0;
};

}  // namespace orbweaver::naming
