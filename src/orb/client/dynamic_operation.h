#pragma once

#include <orbweaver/detail/operation.h>

namespace orbweaver::orb {

/// Whether `operation` is described at run time (src/dynamic): its only RaisedException has no repository id.
/// The function of that entry gets the user exception of a reply from its repository id on, and returns if it
/// does not know the exception. Such an Operation exists during one call only, so its address is not kept.
inline bool is_dynamic(const Operation& operation) noexcept {
  return operation.raises_count == 1 && operation.raises->repository_id == nullptr;
}

}  // namespace orbweaver::orb
