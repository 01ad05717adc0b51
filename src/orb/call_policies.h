#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

/// What policies say of single calls. Plain values: every call of a program that sets one looks.
namespace orbweaver::orb {

/// When a one-way call returns: Messaging::SyncScope.
enum class SyncScope : std::uint8_t { none, transport, server, target };

struct CallPolicies {
  std::optional<std::int64_t> roundtrip_ns;  ///< 0: no limit.
  std::optional<std::int64_t> request_ns;    ///< The same.
  std::optional<SyncScope> scope;

  /// Where this says nothing, what `other` says.
  CallPolicies over(const CallPolicies& other) const noexcept {
    CallPolicies both = *this;
    if (!both.roundtrip_ns) both.roundtrip_ns = other.roundtrip_ns;
    if (!both.request_ns) both.request_ns = other.request_ns;
    if (!both.scope) both.scope = other.scope;
    return both;
  }
  bool empty() const noexcept { return !roundtrip_ns && !request_ns && !scope; }
};

/// Has anybody in this process ever set one of these? A plain call looks at nothing else. Set by the thread that
/// then calls, or before another one learns of the policy: it orders nothing.
inline std::atomic<bool> call_policies_in_use{false};

}  // namespace orbweaver::orb
