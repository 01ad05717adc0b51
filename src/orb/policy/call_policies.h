#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

/// Effective QoS of one call: timeouts and sync scope. Plain values, read by each call of a program that sets
/// a policy.
namespace orbweaver::orb {

/// When a one-way call returns: Messaging::SyncScope.
enum class SyncScope : std::uint8_t { none, transport, server, target };

/// Whether a call follows forwards and opens a lost connection again: Messaging::RebindMode.
enum class Rebind : std::uint8_t { transparent, no_rebind, no_reconnect };

/// Values of the Messaging policies; an unset value has no effect.
struct CallPolicies {
  std::optional<std::int64_t> roundtrip_ns;  ///< Limit for the whole call; 0: no limit.
  std::optional<std::int64_t> request_ns;    ///< Limit for sending the request; 0: no limit.
  std::optional<std::uint64_t> reply_end;    ///< End of the call: TimeBase::UtcT::time.
  std::optional<std::uint64_t> request_end;  ///< End of sending the request: TimeBase::UtcT::time.
  std::optional<SyncScope> scope;
  std::optional<Rebind> rebind;
  std::optional<bool> raises_if_full;  ///< A call with SYNC_NONE whose queue is full raises TRANSIENT.

  /// Returns this with unset values replaced by those of `other`.
  CallPolicies with_defaults(const CallPolicies& other) const noexcept {
    CallPolicies both = *this;
    if (!both.roundtrip_ns) both.roundtrip_ns = other.roundtrip_ns;
    if (!both.request_ns) both.request_ns = other.request_ns;
    if (!both.reply_end) both.reply_end = other.reply_end;
    if (!both.request_end) both.request_end = other.request_end;
    if (!both.scope) both.scope = other.scope;
    if (!both.rebind) both.rebind = other.rebind;
    if (!both.raises_if_full) both.raises_if_full = other.raises_if_full;
    return both;
  }
  bool has_end_time() const noexcept { return reply_end || request_end; }
  bool empty() const noexcept {
    return !roundtrip_ns && !request_ns && !has_end_time() && !scope && !rebind && !raises_if_full;
  }
};

/// Whether any such policy has been set in this process, or an ORB has interceptors of requests; other calls
/// read nothing else. Set by the calling thread itself, or before the policy or the ORB is passed to another
/// thread: imposes no order (relaxed).
inline std::atomic<bool> call_policies_in_use{false};

}  // namespace orbweaver::orb
