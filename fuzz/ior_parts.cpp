// The encapsulations inside a reference: profiles and components.
#include <cstdlib>

#include "giop/codesets.h"
#include "giop/components.h"
#include "giop/ior.h"

using namespace orbweaver;

namespace {

/// What was understood is written so that it is understood as the same.
template <class Decode, class Encode>
void there_and_back(Bytes data, Decode&& decode, Encode&& encode) {
  const auto value = decode(data);
  if (!value) return;
  const auto again = decode(Bytes(encode(*value)));
  if (!again || !(*again == *value)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes(data, size);
  there_and_back(bytes, giop::decode_iiop_profile, giop::encode_iiop_profile);
  there_and_back(bytes, giop::decode_components, giop::encode_components);
  there_and_back(bytes, giop::decode_orb_type, giop::encode_orb_type);
  there_and_back(bytes, giop::decode_code_sets, giop::encode_code_sets);
  there_and_back(bytes, giop::decode_alternate_address, giop::encode_alternate_address);
  there_and_back(bytes, giop::decode_omniorb_unix, giop::encode_omniorb_unix);
  there_and_back(bytes, giop::decode_policies, giop::encode_policies);
  there_and_back(bytes, giop::decode_local_roads, giop::encode_local_roads);
  if (const auto components = giop::decode_components(bytes)) {
    for (const giop::Tagged& component : *components) (void)giop::decode_local_roads(component.data);
  }
  Bytes key;
  if (giop::find_object_key(bytes, key) && !key.empty() &&
      (key.data() < data || key.data() + key.size() > data + size)) {
    std::abort();
  }
  return 0;
}
