#pragma once

#include <orbweaver/poa.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace orbweaver::micro {

/// The active objects of an ORB: servants by object key, and keys by servant. The user locks.
class ObjectMap {
 public:
  struct Entry {
    std::string key;
    CORBA::object_reference<PortableServer::Servant> servant;
    bool system_id;
    Entry* next_of_key;
    Entry* next_of_servant;
  };

  ObjectMap();

  /// A key that no other object of any ORB has: of a run of this ORB, in the root POA.
  std::string new_key();
  /// Whether the key was made by `new_key` of this map.
  bool is_system_key(std::string_view key) const noexcept;

  Entry* find(std::string_view key) noexcept;
  /// The entry of a servant in the root POA (`system_id`) or the CorbalocPOA.
  Entry* find(const PortableServer::Servant* servant, bool system_id) noexcept;
  /// Adds an entry; the key and the servant must not be in the map. Raises NO_MEMORY.
  void add(std::string_view key, const CORBA::object_reference<PortableServer::Servant>& servant,
           bool system_id);
  /// Removes an entry and returns its servant, for the caller to release without the lock.
  CORBA::object_reference<PortableServer::Servant> remove(Entry* entry) noexcept;
  /// An entry; null if there is none.
  Entry* any() noexcept;

 private:
  Entry** chain_of(std::string_view key) noexcept;
  Entry** chain_of(const PortableServer::Servant* servant) noexcept;
  void grow();

  std::size_t chains_ = 16, size_ = 0;  // chains_: a power of two
  std::unique_ptr<Entry*[]> by_key_, by_servant_;
  char prefix_[12];  // of keys of the root POA: "OWm" and a random number
  std::uint64_t last_ = 0;
};

}  // namespace orbweaver::micro
