// Decodes the object key of a request, of this incarnation (1) or of another one.
#include <cstdlib>
#include <vector>

#include "poa/object_key.h"

using namespace orbweaver;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes key(data, size);
  poa::SlotKey slot;
  poa::NameKey name;
  const bool is_slot = poa::decode(key, 1, slot), is_name = poa::decode(key, name);
  if (is_slot && is_name) std::abort();
  // Encoding a decoded key must give the same octets.
  if (is_slot && poa::encode(1, slot) != std::vector<std::uint8_t>(data, data + size)) std::abort();
  if (is_name && poa::encode(name) != std::vector<std::uint8_t>(data, data + size)) std::abort();
  return 0;
}
