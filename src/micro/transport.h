#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "platform/clock.h"
#include "platform/fd.h"

/// The transport of the micro library: stream sockets of one family, which the build selects
/// (ORBWEAVER_MICRO_TRANSPORT): tcp.cpp. Any thread.
namespace orbweaver::micro {

using platform::Deadline;

inline constexpr std::size_t kMaxPort = 65535;

/// Where a server listens.
struct Listener {
  platform::Fd socket;
  std::string host;  ///< As written in references.
  std::uint16_t port = 0;
};

/// Opens the socket for the value of -ORBListen; empty: an address that only this host can reach. Raises
/// BAD_PARAM (0x4f57003e) for a malformed address and INITIALIZE (0x4f57007a) if it cannot listen.
Listener listen(std::string_view address);
/// Accepts a connection; empty at the deadline, and after shutdown_both(socket).
platform::Fd accept(const platform::Fd& socket, Deadline deadline) noexcept;
/// Connects. Raises TRANSIENT (0x4f57001e).
platform::Fd connect(const std::string& host, std::uint16_t port, Deadline deadline);

/// Sends all of `bytes`. False at the deadline and if the connection has ended: it must be closed then. Once
/// `stops` is true, the deadline is at most 5 s away.
bool send_all(const platform::Fd& socket, Bytes bytes, Deadline deadline,
              const std::atomic<bool>* stops = nullptr) noexcept;

}  // namespace orbweaver::micro
