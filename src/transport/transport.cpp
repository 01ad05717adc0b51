#include "transport/transport.h"

#include <cstring>

#include "transport/out_of_memory.h"

namespace orbweaver::transport {

Result<void> Channel::send(Bytes frame, Deadline deadline) noexcept try {
  Result<MutableBytes> room = claim(frame.size(), deadline);
  if (!room) return room.take_error();
  std::memcpy(room->data(), frame.data(), frame.size());
  return commit(frame.size(), deadline);
} catch (...) {
  return close_out_of_memory(*this);
}

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
