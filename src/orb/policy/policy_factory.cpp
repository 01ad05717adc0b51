// Client policies as objects, which are immutable.
#include <orbweaver/any.h>
#include <orbweaver/bidirpolicy.h>
#include <orbweaver/orb.h>
#include <orbweaver/timebase.h>

#include <sstream>

#include "giop/priorities.h"
#include "orb/interception.h"
#include "orb/minor_codes.h"
#include "orb/options.h"
#include "orb/orb_impl.h"
#include "orb/policy/client_policies.h"
#include "transport/plugins.h"

namespace orbweaver {
namespace {

class TransportPreference final : public TransportPreferencePolicy {
 public:
  explicit TransportPreference(std::vector<std::string> transports) : transports_(std::move(transports)) {}
  CORBA::PolicyType policy_type() const override { return TRANSPORT_PREFERENCE_POLICY_TYPE; }
  const std::vector<std::string>& transports() const noexcept override { return transports_; }

 private:
  const std::vector<std::string> transports_;
};

class SyncScopePolicyImpl final : public Messaging::SyncScopePolicy {
 public:
  explicit SyncScopePolicyImpl(Messaging::SyncScope scope) : scope_(scope) {}
  CORBA::PolicyType policy_type() const override { return Messaging::SYNC_SCOPE_POLICY_TYPE; }
  Messaging::SyncScope synchronization() const override { return scope_; }

 private:
  const Messaging::SyncScope scope_;
};

class RebindPolicyImpl final : public Messaging::RebindPolicy {
 public:
  explicit RebindPolicyImpl(Messaging::RebindMode mode) : mode_(mode) {}
  CORBA::PolicyType policy_type() const override { return Messaging::REBIND_POLICY_TYPE; }
  Messaging::RebindMode rebind_mode() const override { return mode_; }

 private:
  const Messaging::RebindMode mode_;
};

class BidirectionalPolicyImpl final : public BiDirPolicy::BidirectionalPolicy {
 public:
  explicit BidirectionalPolicyImpl(BiDirPolicy::BidirectionalPolicyValue value) : value_(value) {}
  CORBA::PolicyType policy_type() const override { return BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE; }
  BiDirPolicy::BidirectionalPolicyValue value() const noexcept override { return value_; }

 private:
  const BiDirPolicy::BidirectionalPolicyValue value_;
};

class OneWayQueueFullPolicyImpl final : public OneWayQueueFullPolicy {
 public:
  explicit OneWayQueueFullPolicyImpl(WhenOneWayQueueFull when_full) : when_full_(when_full) {}
  CORBA::PolicyType policy_type() const override { return ONE_WAY_QUEUE_FULL_POLICY_TYPE; }
  WhenOneWayQueueFull when_full() const noexcept override { return when_full_; }

 private:
  const WhenOneWayQueueFull when_full_;
};

template <class Interface, CORBA::PolicyType Type>
class TimeoutPolicyImpl final : public Interface {
 public:
  explicit TimeoutPolicyImpl(TimeBase::TimeT expiry) : expiry_(expiry) {}
  CORBA::PolicyType policy_type() const override { return Type; }
  TimeBase::TimeT relative_expiry() const override { return expiry_; }

 private:
  const TimeBase::TimeT expiry_;
};
using RoundtripTimeoutPolicyImpl =
    TimeoutPolicyImpl<Messaging::RelativeRoundtripTimeoutPolicy, Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE>;
using RequestTimeoutPolicyImpl =
    TimeoutPolicyImpl<Messaging::RelativeRequestTimeoutPolicy, Messaging::RELATIVE_REQ_TIMEOUT_POLICY_TYPE>;

template <class Interface, CORBA::PolicyType Type>
class EndTimePolicyImpl final : public Interface {
 public:
  explicit EndTimePolicyImpl(const TimeBase::UtcT& end) : end_(end) {}
  CORBA::PolicyType policy_type() const override { return Type; }
  TimeBase::UtcT end_time() const override { return end_; }

 private:
  const TimeBase::UtcT end_;
};
using RequestEndTimePolicyImpl =
    EndTimePolicyImpl<Messaging::RequestEndTimePolicy, Messaging::REQUEST_END_TIME_POLICY_TYPE>;
using ReplyEndTimePolicyImpl =
    EndTimePolicyImpl<Messaging::ReplyEndTimePolicy, Messaging::REPLY_END_TIME_POLICY_TYPE>;

[[noreturn]] void bad_preference(const std::string& why) {
  throw CORBA::BAD_PARAM(minor::kBadOption, CORBA::CompletionStatus::COMPLETED_NO,
                         "make_transport_preference: " + why);
}

}  // namespace

CORBA::object_reference<CORBA::Policy> make_transport_preference(std::vector<std::string> transports) {
  if (transports.empty()) bad_preference("an empty list; expected transports such as shm,tcp");
  for (const std::string& name : transports) {
    if (orb::find_transport(name) != nullptr) continue;
    bad_preference("unknown transport '" + name + "'; known: " + transport::known_names());
  }
  return CORBA::make_reference<TransportPreference>(std::move(transports));
}

}  // namespace orbweaver

namespace orbweaver::orb {
namespace {

template <class Value>
Value value_of(const CORBA::Any& any, const char* policy) {
  Value value{};
  if (any >>= value) return value;
  std::ostringstream why;
  why << policy << " takes an any of type " << reference_to(TypeCodeOf<Value>::get()) << ", not "
      << any.type();
  throw CORBA::PolicyError(CORBA::BAD_POLICY_TYPE, why.str());
}

[[noreturn]] void bad_value(const std::string& why) {
  throw CORBA::PolicyError(CORBA::BAD_POLICY_VALUE, why);
}

}  // namespace

CORBA::object_reference<CORBA::Policy> make_client_policy(CORBA::PolicyType type, const CORBA::Any& value) {
  switch (type) {
    case Messaging::SYNC_SCOPE_POLICY_TYPE: {
      const auto scope = value_of<Messaging::SyncScope>(value, "SyncScopePolicy");
      if (scope < Messaging::SYNC_NONE || scope > Messaging::SYNC_WITH_TARGET)
        bad_value("SyncScopePolicy takes 0 (SYNC_NONE) to 3 (SYNC_WITH_TARGET), not " +
                  std::to_string(scope));
      return CORBA::make_reference<SyncScopePolicyImpl>(scope);
    }
    case Messaging::REBIND_POLICY_TYPE: {
      const auto mode = value_of<Messaging::RebindMode>(value, "RebindPolicy");
      if (mode < Messaging::TRANSPARENT || mode > Messaging::NO_RECONNECT)
        bad_value("RebindPolicy takes 0 (TRANSPARENT) to 2 (NO_RECONNECT), not " + std::to_string(mode));
      return CORBA::make_reference<RebindPolicyImpl>(mode);
    }
    case BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE: {
      const auto both = value_of<BiDirPolicy::BidirectionalPolicyValue>(value, "BidirectionalPolicy");
      if (both > BiDirPolicy::BOTH)
        bad_value("BidirectionalPolicy takes 0 (NORMAL) or 1 (BOTH), not " + std::to_string(both));
      return CORBA::make_reference<BidirectionalPolicyImpl>(both);
    }
    case ONE_WAY_QUEUE_FULL_POLICY_TYPE: {
      const auto number = value_of<std::int16_t>(value, "OneWayQueueFullPolicy");
      const auto when_full = static_cast<WhenOneWayQueueFull>(number);
      if (when_full != WhenOneWayQueueFull::drop && when_full != WhenOneWayQueueFull::raise_transient)
        bad_value("OneWayQueueFullPolicy takes 0 (drop) or 1 (raise_transient), not " +
                  std::to_string(number));
      return CORBA::make_reference<OneWayQueueFullPolicyImpl>(when_full);
    }
    case Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE:
      return CORBA::make_reference<RoundtripTimeoutPolicyImpl>(
          value_of<TimeBase::TimeT>(value, "RelativeRoundtripTimeoutPolicy"));
    case Messaging::RELATIVE_REQ_TIMEOUT_POLICY_TYPE:
      return CORBA::make_reference<RequestTimeoutPolicyImpl>(
          value_of<TimeBase::TimeT>(value, "RelativeRequestTimeoutPolicy"));
    case Messaging::REQUEST_END_TIME_POLICY_TYPE:
      return CORBA::make_reference<RequestEndTimePolicyImpl>(
          value_of<TimeBase::UtcT>(value, "RequestEndTimePolicy"));
    case Messaging::REPLY_END_TIME_POLICY_TYPE:
      return CORBA::make_reference<ReplyEndTimePolicyImpl>(
          value_of<TimeBase::UtcT>(value, "ReplyEndTimePolicy"));
    case TRANSPORT_PREFERENCE_POLICY_TYPE:
      try {
        return make_transport_preference(
            value_of<std::vector<std::string>>(value, "TransportPreferencePolicy"));
      } catch (const CORBA::BAD_PARAM& e) {
        bad_value(e.detail());
      }
    default: break;
  }
  // The other standard types are not supported; POA policies are created by the POA.
  constexpr CORBA::PolicyType kLastStandardType = 37;
  if (type > kLastStandardType)
    throw CORBA::PolicyError(CORBA::BAD_POLICY, "unknown policy type " + std::to_string(type));
  throw CORBA::PolicyError(CORBA::UNSUPPORTED_POLICY,
                           "create_policy does not create policies of type " + std::to_string(type));
}

CORBA::object_reference<CORBA::Policy> default_client_policy(CORBA::PolicyType type, const Options& options) {
  constexpr TimeBase::TimeT kUnitsOfMs = 10'000;
  switch (type) {
    case Messaging::SYNC_SCOPE_POLICY_TYPE:
      return CORBA::make_reference<SyncScopePolicyImpl>(
          options.batch_delay_us != 0 ? Messaging::SYNC_NONE : Messaging::SYNC_WITH_TRANSPORT);
    case Messaging::REBIND_POLICY_TYPE:
      return CORBA::make_reference<RebindPolicyImpl>(Messaging::TRANSPARENT);
    case Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE:
      if (options.call_timeout_ms == 0) return nullptr;
      return CORBA::make_reference<RoundtripTimeoutPolicyImpl>(
          static_cast<TimeBase::TimeT>(options.call_timeout_ms) * kUnitsOfMs);
    case Messaging::RELATIVE_REQ_TIMEOUT_POLICY_TYPE:
    case Messaging::REQUEST_END_TIME_POLICY_TYPE:
    case Messaging::REPLY_END_TIME_POLICY_TYPE: return nullptr;
    case ONE_WAY_QUEUE_FULL_POLICY_TYPE:
      return CORBA::make_reference<OneWayQueueFullPolicyImpl>(WhenOneWayQueueFull::drop);
    case TRANSPORT_PREFERENCE_POLICY_TYPE:
      return CORBA::make_reference<TransportPreference>(options.preference);
    case BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE:
      return CORBA::make_reference<BidirectionalPolicyImpl>(BiDirPolicy::NORMAL);
    default:
      if (is_program_policy(type) || type == giop::policy_type::kPrivateConnection ||
          type == giop::policy_type::kPriorityBandedConnection)
        return nullptr;
      throw CORBA::INV_POLICY(minor::kUnknownPolicy, CORBA::CompletionStatus::COMPLETED_NO,
                              "unknown client policy type " + std::to_string(type));
  }
}

}  // namespace orbweaver::orb

namespace CORBA {

object_reference<Policy> ORB::create_policy(PolicyType type, const Any& value) {
  using namespace orbweaver::orb;
  const auto* const own = dynamic_cast<OrbImpl*>(this);
  Interception* const interception = own == nullptr ? nullptr : own->core()->interception();
  auto policy = interception == nullptr ? nullptr : interception->create_policy(type, value);
  return policy ? policy : make_client_policy(type, value);
}

}  // namespace CORBA
