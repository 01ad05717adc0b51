#pragma once

#include <cstdint>

#include <orbweaver/policy.h>

/// @file
/// Policies of CORBA Messaging that a client sets: timeouts and end times of calls, when one-way calls
/// return, and whether calls connect again. CORBA 3.3 part 1, 17.2 and 17.3. `ORB::create_policy` creates
/// them from a value in an any:
///
///     CORBA::Any limit;
///     limit <<= TimeBase::TimeT{50'000};  // 5 ms
///     auto policy = orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, limit);
///     auto limited = IDL::traits<Radio::Tuner>::narrow(
///         tuner->_set_policy_overrides({policy}, CORBA::SetOverrideType::ADD_OVERRIDE));
///
/// A reference's policy takes precedence over the thread's (CORBA::PolicyCurrent), that over the ORB's
/// (CORBA::PolicyManager), and that over the -ORB options. Timeouts do not apply to collocated calls, which
/// are function calls.

/// The module TimeBase (CORBA Time Service).
namespace TimeBase {

/// Time in units of 100 ns.
using TimeT = std::uint64_t;

class UtcT;  // <orbweaver/timebase.h>

}  // namespace TimeBase

/// The module Messaging (CORBA 3.3 part 1, 17).
namespace Messaging {

/// When a one-way call returns.
using SyncScope = std::int16_t;
/// SYNC_NONE: when the transport has accepted the request or the ORB has queued it. Never waits for the
/// transport or for other calls; orbweaver::OneWayQueueFullPolicy is for a full queue.
inline constexpr SyncScope SYNC_NONE = 0;
/// SYNC_WITH_TRANSPORT, the default: when the transport has accepted the request; blocks while the receiver's
/// queue is full.
inline constexpr SyncScope SYNC_WITH_TRANSPORT = 1;
/// SYNC_WITH_SERVER: when the server has found the servant and its operation. Raises the exceptions that
/// prevent this.
inline constexpr SyncScope SYNC_WITH_SERVER = 2;
/// SYNC_WITH_TARGET: when the servant has returned. Raises the exceptions of a two-way call.
inline constexpr SyncScope SYNC_WITH_TARGET = 3;

/// Whether a call follows forwards and opens a lost connection again.
using RebindMode = std::int16_t;
/// TRANSPARENT, the default: both.
inline constexpr RebindMode TRANSPARENT = 0;
/// NO_REBIND: opens a lost connection again, but does not follow a forward.
inline constexpr RebindMode NO_REBIND = 1;
/// NO_RECONNECT: neither.
inline constexpr RebindMode NO_RECONNECT = 2;

/// Policy type of RebindPolicy; its value in an any is a RebindMode.
inline constexpr CORBA::PolicyType REBIND_POLICY_TYPE = 23;
/// Policy type of SyncScopePolicy; its value in an any is a SyncScope.
inline constexpr CORBA::PolicyType SYNC_SCOPE_POLICY_TYPE = 24;
/// Policy type of RequestEndTimePolicy; its value in an any is a TimeBase::UtcT.
inline constexpr CORBA::PolicyType REQUEST_END_TIME_POLICY_TYPE = 28;
/// Policy type of ReplyEndTimePolicy; its value in an any is a TimeBase::UtcT.
inline constexpr CORBA::PolicyType REPLY_END_TIME_POLICY_TYPE = 30;
/// Policy type of RelativeRequestTimeoutPolicy; its value in an any is a TimeBase::TimeT.
inline constexpr CORBA::PolicyType RELATIVE_REQ_TIMEOUT_POLICY_TYPE = 31;
/// Policy type of RelativeRoundtripTimeoutPolicy; its value in an any is a TimeBase::TimeT.
inline constexpr CORBA::PolicyType RELATIVE_RT_TIMEOUT_POLICY_TYPE = 32;

/// When one-way calls return. Any thread.
class SyncScopePolicy : public CORBA::Policy {
 public:
  /// One of the four constants above.
  virtual SyncScope synchronization() const = 0;
};

/// Whether a call follows forwards and opens a lost connection again. If not, it raises REBIND (0x4f570036
/// for a forward, 0x4f570037 for a lost connection), COMPLETED_NO, and so do later ones until
/// `_validate_connection`, which does both. The first connection of a reference is opened by any call. Any
/// thread.
class RebindPolicy : public CORBA::Policy {
 public:
  /// One of the three constants above.
  virtual RebindMode rebind_mode() const = 0;
};

/// Time limit for sending a request: TIMEOUT (0x4f570032), COMPLETED_NO, if it has not been sent by then. Any
/// thread.
class RelativeRequestTimeoutPolicy : public CORBA::Policy {
 public:
  /// In units of 100 ns; 0: no limit.
  virtual TimeBase::TimeT relative_expiry() const = 0;
};

/// Point in time until which requests are sent: TIMEOUT (0x4f570032), COMPLETED_NO, for a request that has
/// not been sent by then. If a relative limit ends earlier, that one applies. Any thread.
class RequestEndTimePolicy : public CORBA::Policy {
 public:
  /// As the policy was created. Compared with the system's clock (CLOCK_REALTIME) when a call starts.
  virtual TimeBase::UtcT end_time() const = 0;
};

/// Point in time until which replies are awaited: TIMEOUT (0x4f570032) for a call that has not ended by then;
/// COMPLETED_NO if it starts later. If a relative limit ends earlier, that one applies. Any thread.
class ReplyEndTimePolicy : public CORBA::Policy {
 public:
  /// As the policy was created. Compared with the system's clock (CLOCK_REALTIME) when a call starts.
  virtual TimeBase::UtcT end_time() const = 0;
};

/// Time limit of a whole call: TIMEOUT (0x4f570032) if it has not ended by then. Any thread.
class RelativeRoundtripTimeoutPolicy : public CORBA::Policy {
 public:
  /// In units of 100 ns; 0: no limit, also if the ORB has one.
  virtual TimeBase::TimeT relative_expiry() const = 0;
};

}  // namespace Messaging

namespace orbweaver {

/// Policy type of OneWayQueueFullPolicy, in Orbweaver's vendor range; its value in an any is a short.
inline constexpr CORBA::PolicyType ONE_WAY_QUEUE_FULL_POLICY_TYPE = 0x4f570010;

/// The behaviour of a one-way call with SYNC_NONE while the queue of its connection is full.
enum class WhenOneWayQueueFull : std::int16_t {
  drop = 0,             ///< The call is dropped, and counted (oneway_queue_statistics). The default.
  raise_transient = 1,  ///< Raises TRANSIENT (0x4f570024), COMPLETED_NO.
};

/// Policy of Orbweaver: the behaviour of one-way calls with SYNC_NONE while the queue of their connection is
/// full
/// (-ORBTune oneway-queue-requests, oneway-queue-bytes, oneway-queue-total-bytes). Any thread.
class OneWayQueueFullPolicy : public CORBA::Policy {
 public:
  /// The behaviour that the policy was created with.
  virtual WhenOneWayQueueFull when_full() const noexcept = 0;
};

}  // namespace orbweaver

namespace IDL {
template <>
struct traits<orbweaver::OneWayQueueFullPolicy>
    : orbweaver::local_interface_traits<orbweaver::OneWayQueueFullPolicy> {};
template <>
struct traits<Messaging::SyncScopePolicy> : orbweaver::local_interface_traits<Messaging::SyncScopePolicy> {};
template <>
struct traits<Messaging::RebindPolicy> : orbweaver::local_interface_traits<Messaging::RebindPolicy> {};
template <>
struct traits<Messaging::RequestEndTimePolicy>
    : orbweaver::local_interface_traits<Messaging::RequestEndTimePolicy> {};
template <>
struct traits<Messaging::ReplyEndTimePolicy>
    : orbweaver::local_interface_traits<Messaging::ReplyEndTimePolicy> {};
template <>
struct traits<Messaging::RelativeRequestTimeoutPolicy>
    : orbweaver::local_interface_traits<Messaging::RelativeRequestTimeoutPolicy> {};
template <>
struct traits<Messaging::RelativeRoundtripTimeoutPolicy>
    : orbweaver::local_interface_traits<Messaging::RelativeRoundtripTimeoutPolicy> {};
}  // namespace IDL
