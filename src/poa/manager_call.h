#pragma once

#include <orbweaver/poa.h>

#include <exception>
#include <utility>

#include "orb/server/upcall_scope.h"

namespace orbweaver::poa {

/// Whether a function of a servant manager may raise ForwardRequest.
enum class MayForward : bool { no, yes };

/// Rethrows the present exception of `function` of a servant manager as clients get it: ForwardRequest and
/// system exceptions as they are, others as UNKNOWN, as those of servants. The text of a C++ exception is
/// logged only: it may contain what clients must not know.
[[noreturn]] void rethrow_of_manager(const char* function, MayForward may_forward);

/// Calls `call()`, which calls `function` of a servant manager.
template <class Call>
auto call_manager(const char* function, MayForward may_forward, Call&& call) {
  const orb::NoObjectScope no_object(orb::NoObjectScope::Calls::manager);
  try {
    return std::forward<Call>(call)();
  } catch (...) {
    rethrow_of_manager(function, may_forward);
  }
}

}  // namespace orbweaver::poa
