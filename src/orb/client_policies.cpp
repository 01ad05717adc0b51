#include "orb/client_policies.h"

#include <algorithm>

#include "orb/minor_codes.h"
#include "orb/options.h"
#include "orb/system_exceptions.h"
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

ClientPolicies ClientPolicies::with(const CORBA::PolicyList& policies, CORBA::SetOverrideType how) const {
  ClientPolicies changed;
  std::vector<std::uint16_t> bad;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    auto preference = IDL::traits<TransportPreferencePolicy>::narrow(policies[i]);
    if (!preference || changed.preference_) bad.push_back(static_cast<std::uint16_t>(i));
    changed.preference_ = std::move(preference);
  }
  if (!bad.empty()) throw CORBA::InvalidPolicies(std::move(bad));
  if (how == CORBA::SetOverrideType::ADD_OVERRIDE && !changed.preference_) changed.preference_ = preference_;
  return changed;
}

CORBA::PolicyList ClientPolicies::of(const CORBA::PolicyTypeSeq& types) const {
  const bool wanted = types.empty() || std::find(types.begin(), types.end(), TRANSPORT_PREFERENCE_POLICY_TYPE) != types.end();
  if (!wanted || !preference_) return {};
  return {preference_};
}

CORBA::PolicyList PolicyManagerImpl::get_policy_overrides(const CORBA::PolicyTypeSeq& types) { return policies().of(types); }

void PolicyManagerImpl::set_policy_overrides(const CORBA::PolicyList& policies, CORBA::SetOverrideType how) {
  const std::lock_guard lock(mutex_);
  policies_ = policies_.with(policies, how);
}

ClientPolicies PolicyManagerImpl::policies() const {
  const std::lock_guard lock(mutex_);
  return policies_;
}

}  // namespace orbweaver::orb
