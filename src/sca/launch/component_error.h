#pragma once

#include <stdexcept>
#include <string>

namespace orbweaver::sca {

/// A call to a component got no reply, perhaps because its process has died.
struct ComponentUnreachable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Call in a catch block around a call to a component. Throws `what` with the reason: as ComponentUnreachable
/// if the call itself failed (a system exception), as std::runtime_error if the component reported an error.
[[noreturn]] void fail_call(const std::string& what);

}  // namespace orbweaver::sca
