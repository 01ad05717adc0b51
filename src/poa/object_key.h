#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

/// The object keys that this ORB puts into its references. docs/formats/object-key.md draws them.
/// Keys come back from peers: they are input.
namespace orbweaver::poa {

/// Distinguishes this run of this ORB from every other, so that a transient reference never reaches an
/// object of a later run.
using Incarnation = std::uint64_t;

/// An object that the adapter numbered itself, in this run: found by index.
struct SlotKey {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
};
/// An object known by its adapter's path and its id. `incarnation` 0: persistent.
struct NameKey {
  Incarnation incarnation = 0;
  std::string_view path;  ///< "" the root POA, "a/b" with '/' and '\' escaped by '\'
  Bytes id;
};

std::vector<std::uint8_t> encode(Incarnation incarnation, const SlotKey& key);
std::vector<std::uint8_t> encode(const NameKey& key);

/// Reads keys of either kind in place. False where they are not of this form (or, for slots, of another run).
bool decode(Bytes key, Incarnation incarnation, SlotKey& slot) noexcept;
bool decode(Bytes key, NameKey& name) noexcept;

}  // namespace orbweaver::poa
