// Parses object references in text form: IOR:, corbaloc: and corbaname:.
#include <cstdlib>

#include "giop/ior.h"
#include "giop/object_url.h"
#include "giop/tagged_components.h"

using namespace orbweaver;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto ior = giop::parse_ior(text)) {
    // A parsed reference must be equal after stringifying and parsing it again.
    const auto again = giop::parse_ior(giop::stringify(*ior));
    if (!again || *again != *ior) std::abort();
    for (const giop::TaggedData& profile : ior->profiles) (void)giop::decode_iiop_profile(profile.data);
  } else if (ior.error().message.empty()) {
    std::abort();
  }
  if (const auto url = giop::parse_object_url(text)) {
    const giop::Ior ior = giop::to_ior(*url);
    if (ior.profiles.size() != url->addresses.size()) std::abort();
  } else if (url.error().message.empty()) {
    std::abort();
  }
  return 0;
}
