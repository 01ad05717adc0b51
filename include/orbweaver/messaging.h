#pragma once

#include <cstdint>

#include <orbweaver/policy.h>

/// How long calls may take, and when one-way calls return: the policies of CORBA Messaging that a client sets. CORBA 3.3
/// part 1, 17.2 and 17.3; made by `ORB::create_policy`, which takes the value in an any:
///
///   CORBA::Any limit;
///   limit <<= TimeBase::TimeT{50'000};  // 5 ms
///   auto policy = orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, limit);
///   auto hasty = IDL::traits<Radio::Tuner>::narrow(
///       tuner->_set_policy_overrides({policy}, CORBA::SetOverrideType::ADD_OVERRIDE));
///
/// What a reference says goes before what its thread says (CORBA::PolicyCurrent), that before the ORB's
/// (CORBA::PolicyManager), and that before the -ORB options. A call that is served in its caller's own ORB is a function
/// call, and takes its time.
namespace TimeBase {

/// In units of 100 ns.
using TimeT = std::uint64_t;

}  // namespace TimeBase

namespace Messaging {

using SyncScope = std::int16_t;
/// Whether a one-way call waits. For nobody: where there is no room for it, it is dropped.
inline constexpr SyncScope SYNC_NONE = 0;
/// Until the transport has it: while the receiver is full, it waits. The usual.
inline constexpr SyncScope SYNC_WITH_TRANSPORT = 1;
/// Until the server has found the servant. Raises what keeps it from that.
inline constexpr SyncScope SYNC_WITH_SERVER = 2;
/// Until the servant has returned. Raises what a two-way call would.
inline constexpr SyncScope SYNC_WITH_TARGET = 3;

inline constexpr CORBA::PolicyType SYNC_SCOPE_POLICY_TYPE = 24;
inline constexpr CORBA::PolicyType RELATIVE_REQ_TIMEOUT_POLICY_TYPE = 31;
inline constexpr CORBA::PolicyType RELATIVE_RT_TIMEOUT_POLICY_TYPE = 32;

class SyncScopePolicy : public CORBA::Policy {
 public:
  virtual SyncScope synchronization() const = 0;
};

/// A request that has not left after so long raises TIMEOUT, COMPLETED_NO. 0: no limit.
class RelativeRequestTimeoutPolicy : public CORBA::Policy {
 public:
  virtual TimeBase::TimeT relative_expiry() const = 0;
};

/// A call that has not ended after so long raises TIMEOUT. 0: no limit, whatever the ORB's says.
class RelativeRoundtripTimeoutPolicy : public CORBA::Policy {
 public:
  virtual TimeBase::TimeT relative_expiry() const = 0;
};

}  // namespace Messaging

namespace IDL {
template <>
struct traits<Messaging::SyncScopePolicy> : orbweaver::local_interface_traits<Messaging::SyncScopePolicy> {};
template <>
struct traits<Messaging::RelativeRequestTimeoutPolicy>
    : orbweaver::local_interface_traits<Messaging::RelativeRequestTimeoutPolicy> {};
template <>
struct traits<Messaging::RelativeRoundtripTimeoutPolicy>
    : orbweaver::local_interface_traits<Messaging::RelativeRoundtripTimeoutPolicy> {};
}  // namespace IDL
