#include "sca/runtime/same_machine.h"

#include <algorithm>

#include "giop/tagged_components.h"
#include "platform/process_identity.h"

namespace orbweaver::sca {

bool is_on_this_machine(const giop::IiopProfile& profile) {
  const auto* component = giop::find(profile.components, giop::component_tag::kLocalEndpoints);
  if (component == nullptr || platform::host_identity().empty()) return false;
  const auto local = giop::decode_local_endpoints(component->data);
  return local && local->host_identity == platform::host_identity();
}

bool is_on_this_machine(const std::string& reference) {
  const auto ior = giop::parse_ior(reference);
  if (!ior || ior->profiles.empty()) return false;
  return std::all_of(ior->profiles.begin(), ior->profiles.end(), [](const giop::TaggedData& tagged) {
    if (tagged.tag != giop::profile_tag::kIiop) return false;
    const auto profile = giop::decode_iiop_profile(tagged.data);
    return profile && is_on_this_machine(*profile);
  });
}

}  // namespace orbweaver::sca
