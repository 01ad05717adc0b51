#include "poa/poa_policies.h"

#include <set>

namespace orbweaver::poa {
namespace {

template <class Value>
bool take(const CORBA::Policy& policy, Value& value) {
  const auto* known = dynamic_cast<const ValuePolicy<Value>*>(&policy);
  if (known != nullptr) value = known->value();
  return known != nullptr;
}

}  // namespace

Policies read_policies(const CORBA::PolicyList& list) {
  using PortableServer::POA;
  Policies p;
  std::set<CORBA::PolicyType> seen;
  std::uint16_t implicit_at = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto index = static_cast<std::uint16_t>(i);
    if (!list[i] || !seen.insert(list[i]->policy_type()).second) throw POA::InvalidPolicy(index);
    const CORBA::Policy& policy = *list[i];
    if (take(policy, p.implicit)) {
      implicit_at = index;
      continue;
    }
    if (!take(policy, p.thread) && !take(policy, p.lifespan) && !take(policy, p.uniqueness) &&
        !take(policy, p.assignment)) {
      throw POA::InvalidPolicy(index);
    }
  }
  if (p.activates_implicitly() && !p.system_ids()) throw POA::InvalidPolicy(implicit_at);
  return p;
}

}  // namespace orbweaver::poa
