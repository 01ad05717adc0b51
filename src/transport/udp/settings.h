#pragma once

#include "transport/transport.h"

namespace orbweaver::transport::udp {

/// Settings of -ORBTransportOption udp.KEY=VALUE. docs/transports.md lists them for users.
struct Settings {
  /// Bytes of a datagram with its header; 0: a size that usual links carry unfragmented, and more on
  /// loopback.
  std::int64_t datagram_bytes = 0;
  /// Datagrams whose lateness exceeds this are dropped; 0: no limit.
  std::int64_t max_age_ms = 0;
  /// A peer that has not answered pings for this time is taken as disconnected. A thread with a deadline of
  /// its own waits until that.
  std::int64_t silence_ms = 60'000;
  /// An idle connection made by this end is not used again after this time: the server may have closed it.
  std::int64_t idle_ms = 30'000;

  /// Parses the parameters. Errors: invalid, naming the parameter.
  static Result<Settings> of(const Parameters& parameters);
};

}  // namespace orbweaver::transport::udp
