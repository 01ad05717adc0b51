#pragma once

#include "transport/transport.h"

namespace orbweaver::transport::datagram {

/// What -ORBTransportOption udp.KEY=VALUE sets. docs/transports.md is the users' list.
struct Settings {
  /// Bytes of a datagram, its header included; 0: what any usual link carries whole, and more on loopback.
  std::int64_t datagram_bytes = 0;
  /// Datagrams that are later than the quickest of late by more than this are dropped; 0: none is.
  std::int64_t max_age_ms = 0;
  /// A peer of which nothing was heard for so long, though it was asked, is gone. Whoever waits with a deadline
  /// of his own waits until that.
  std::int64_t silence_ms = 60'000;
  /// A connection that was made here and not used for so long is not begun again: the server may have given it up.
  std::int64_t idle_ms = 30'000;

  /// Remedy::mend, and what is wrong with which parameter.
  static Result<Settings> of(const Parameters& parameters);
};

}  // namespace orbweaver::transport::datagram
