#include "transport/transport.h"

namespace orbweaver::transport {

const TransportTraits& Transport::traits() const noexcept {
  static constexpr TransportTraits kDefaults;
  return kDefaults;
}

Protection Transport::protection(const Parameters&) const noexcept { return {}; }

Result<void> Transport::check(const Parameters& parameters) {
  if (parameters.empty()) return {};
  return Error{ErrorKind::invalid,
               std::string("the transport ") + name() + " has no option '" + parameters.begin()->first + "'"};
}

Result<void> Transport::check_address(const std::string&) { return {}; }

}  // namespace orbweaver::transport
