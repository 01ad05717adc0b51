// The policies of clients, as objects: values that never change.
#include <orbweaver/any.h>
#include <orbweaver/orb.h>

#include "orb/client_policies.h"
#include "orb/minor_codes.h"
#include "orb/options.h"
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

class SyncScopeIs final : public Messaging::SyncScopePolicy {
 public:
  explicit SyncScopeIs(Messaging::SyncScope scope) : scope_(scope) {}
  CORBA::PolicyType policy_type() const override { return Messaging::SYNC_SCOPE_POLICY_TYPE; }
  Messaging::SyncScope synchronization() const override { return scope_; }

 private:
  const Messaging::SyncScope scope_;
};

template <class Interface, CORBA::PolicyType Type>
class Expiry final : public Interface {
 public:
  explicit Expiry(TimeBase::TimeT expiry) : expiry_(expiry) {}
  CORBA::PolicyType policy_type() const override { return Type; }
  TimeBase::TimeT relative_expiry() const override { return expiry_; }

 private:
  const TimeBase::TimeT expiry_;
};
using Roundtrip = Expiry<Messaging::RelativeRoundtripTimeoutPolicy, Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE>;
using Request = Expiry<Messaging::RelativeRequestTimeoutPolicy, Messaging::RELATIVE_REQ_TIMEOUT_POLICY_TYPE>;

[[noreturn]] void bad_preference(const std::string& why) {
  throw CORBA::BAD_PARAM(minor::kBadOption, CORBA::CompletionStatus::COMPLETED_NO, "make_transport_preference " + why);
}

}  // namespace

CORBA::object_reference<CORBA::Policy> make_transport_preference(std::vector<std::string> transports) {
  if (transports.empty()) bad_preference("takes a list such as shm,tcp");
  for (const std::string& name : transports) {
    if (orb::find_transport(name) != nullptr) continue;
    bad_preference("knows the transports " + transport::known_names() + ", not '" + name + "'");
  }
  return CORBA::make_reference<TransportPreference>(std::move(transports));
}

}  // namespace orbweaver

namespace orbweaver::orb {
namespace {

template <class Value>
Value value_of(const CORBA::Any& any) {
  Value value{};
  if (!(any >>= value)) throw CORBA::PolicyError(CORBA::BAD_POLICY_TYPE);
  return value;
}

}  // namespace

CORBA::object_reference<CORBA::Policy> make_client_policy(CORBA::PolicyType type, const CORBA::Any& value) {
  switch (type) {
    case Messaging::SYNC_SCOPE_POLICY_TYPE: {
      const auto scope = value_of<Messaging::SyncScope>(value);
      if (scope < Messaging::SYNC_NONE || scope > Messaging::SYNC_WITH_TARGET) {
        throw CORBA::PolicyError(CORBA::BAD_POLICY_VALUE);
      }
      return CORBA::make_reference<SyncScopeIs>(scope);
    }
    case Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE:
      return CORBA::make_reference<Roundtrip>(value_of<TimeBase::TimeT>(value));
    case Messaging::RELATIVE_REQ_TIMEOUT_POLICY_TYPE:
      return CORBA::make_reference<Request>(value_of<TimeBase::TimeT>(value));
    case TRANSPORT_PREFERENCE_POLICY_TYPE:
      try {
        return make_transport_preference(value_of<std::vector<std::string>>(value));
      } catch (const CORBA::BAD_PARAM&) {
        throw CORBA::PolicyError(CORBA::BAD_POLICY_VALUE);
      }
    default:
      break;
  }
  // Of the standard's other kinds, up to BidirectionalPolicy, there are none here; those of POAs the POA makes.
  constexpr CORBA::PolicyType kLastOfTheStandard = 37;
  throw CORBA::PolicyError(type <= kLastOfTheStandard ? CORBA::UNSUPPORTED_POLICY : CORBA::BAD_POLICY);
}

CORBA::object_reference<CORBA::Policy> default_client_policy(CORBA::PolicyType type, const Options& options) {
  constexpr TimeBase::TimeT kUnitsOfMs = 10'000;
  switch (type) {
    case Messaging::SYNC_SCOPE_POLICY_TYPE:
      return CORBA::make_reference<SyncScopeIs>(options.batch_delay_us != 0 ? Messaging::SYNC_NONE
                                                                              : Messaging::SYNC_WITH_TRANSPORT);
    case Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE:
      if (options.call_timeout_ms == 0) return nullptr;
      return CORBA::make_reference<Roundtrip>(static_cast<TimeBase::TimeT>(options.call_timeout_ms) * kUnitsOfMs);
    case Messaging::RELATIVE_REQ_TIMEOUT_POLICY_TYPE:
      return nullptr;
    case TRANSPORT_PREFERENCE_POLICY_TYPE:
      return CORBA::make_reference<TransportPreference>(options.preference);
    default:
      throw CORBA::INV_POLICY(minor::kUnknownPolicy, CORBA::CompletionStatus::COMPLETED_NO,
                              "policies of type " + std::to_string(type) + " are not known here");
  }
}

}  // namespace orbweaver::orb

namespace CORBA {

object_reference<Policy> ORB::create_policy(PolicyType type, const Any& value) {
  return orbweaver::orb::make_client_policy(type, value);
}

}  // namespace CORBA
