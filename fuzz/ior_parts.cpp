// Decodes the encapsulations in a reference: profiles and components.
#include <cstdlib>

#include "giop/codesets.h"
#include "giop/ior.h"
#include "giop/tagged_components.h"

using namespace orbweaver;

namespace {

/// Checks that a decoded value is equal after encoding and decoding it again.
template <class Decode, class Encode>
void round_trip(Bytes data, Decode&& decode, Encode&& encode) {
  const auto value = decode(data);
  if (!value) return;
  const auto again = decode(Bytes(encode(*value)));
  if (!again || !(*again == *value)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes(data, size);
  round_trip(bytes, giop::decode_iiop_profile, giop::encode_iiop_profile);
  round_trip(bytes, giop::decode_components, giop::encode_components);
  round_trip(bytes, giop::decode_orb_type, giop::encode_orb_type);
  round_trip(bytes, giop::decode_code_sets, giop::encode_code_sets);
  round_trip(bytes, giop::decode_alternate_address, giop::encode_alternate_address);
  round_trip(bytes, giop::decode_omniorb_unix, giop::encode_omniorb_unix);
  round_trip(bytes, giop::decode_policies, giop::encode_policies);
  round_trip(bytes, giop::decode_local_endpoints, giop::encode_local_endpoints);
  if (const auto components = giop::decode_components(bytes)) {
    for (const giop::TaggedData& component : *components) (void)giop::decode_local_endpoints(component.data);
  }
  Bytes key;
  if (giop::find_object_key(bytes, key) && !key.empty() &&
      (key.data() < data || key.data() + key.size() > data + size)) {
    std::abort();
  }
  return 0;
}
