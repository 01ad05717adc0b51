#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "giop/bidirectional.h"

namespace orbweaver::orb {

class Core;

/// The listen points that this process offers in BI_DIR_IIOP contexts: the addresses in the references of
/// POAs whose BidirectionalPolicy is BOTH. There are none before the first such reference. Thread-safe.
class OwnListenPoints {
 public:
  explicit OwnListenPoints(Core& core) : core_(core) {}

  /// Called when such a reference is made.
  void make_available() noexcept { number_.store(1, std::memory_order_release); }
  /// 0 while there are no listen points, and 1 from then on: they do not change any more. Lock-free.
  std::uint32_t number() const noexcept { return number_.load(std::memory_order_acquire); }
  /// The data of the context for a connection. `secure`: whether that is protected: it then offers the
  /// protected endpoints, else the others (CORBA 3.3 part 2, 9.8.1).
  std::vector<std::uint8_t> context(bool secure) const;

 private:
  Core& core_;
  std::atomic<std::uint32_t> number_{0};
};

/// The address in references of a process that listens on no TCP endpoint: a name that cannot be resolved
/// (RFC 2606, 2), different for each ORB and not to be guessed. Such objects can be called over offered
/// connections only.
giop::ListenPoint make_unreachable_address();
/// Whether an address "host:port" is of that kind: no connection to it is attempted.
bool is_unreachable_address(const std::string& address) noexcept;

}  // namespace orbweaver::orb
