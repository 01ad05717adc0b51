#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

/// Object keys of this ORB (docs/formats/object-key.md). Received keys are untrusted input.
namespace orbweaver::poa {

/// Random number of this run of the ORB, so that a transient reference never reaches an object of a later
/// run.
using Incarnation = std::uint64_t;

/// Key of an object with a system id and transient lifespan: found by index.
struct SlotKey {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
};
/// Key of an object found by POA path and object id. `incarnation` 0: persistent.
struct NameKey {
  Incarnation incarnation = 0;
  std::string_view path;  ///< "" for the root POA; "a/b" with '/' and '\' escaped by '\'
  Bytes id;
};

/// Whether a key begins with "OW" and a version (below 0x20) of the keys of this ORB. Programs cannot choose
/// such a key.
bool is_structured_key(Bytes key) noexcept;

/// Encode a key.
std::vector<std::uint8_t> encode(Incarnation incarnation, const SlotKey& key);
std::vector<std::uint8_t> encode(const NameKey& key);

/// Decode a key in place: views refer to `key`. Return false if it has another form or, for slots, another
/// incarnation.
bool decode(Bytes key, Incarnation incarnation, SlotKey& slot) noexcept;
bool decode(Bytes key, NameKey& name) noexcept;

}  // namespace orbweaver::poa
