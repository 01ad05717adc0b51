#include "micro/object_map.h"

#include <cstring>
#include <random>

namespace orbweaver::micro {

ObjectMap::ObjectMap() : by_key_(new Entry*[chains_]()), by_servant_(new Entry*[chains_]()) {
  std::memcpy(prefix_, "OWm\1", 4);
  std::random_device random;
  const std::uint32_t words[] = {random(), random()};
  std::memcpy(prefix_ + 4, words, sizeof words);
}

std::string ObjectMap::new_key() {
  std::string key(prefix_, sizeof prefix_);
  ++last_;
  key.append(reinterpret_cast<const char*>(&last_), sizeof last_);
  return key;
}

bool ObjectMap::is_system_key(std::string_view key) const noexcept {
  std::uint64_t n = 0;
  if (key.size() != sizeof prefix_ + sizeof n || std::memcmp(key.data(), prefix_, sizeof prefix_) != 0)
    return false;
  std::memcpy(&n, key.data() + sizeof prefix_, sizeof n);
  return n != 0 && n <= last_;
}

ObjectMap::Entry** ObjectMap::chain_of(std::string_view key) noexcept {
  std::size_t hash = 2166136261u;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return &by_key_[(hash ^ hash >> 15) & (chains_ - 1)];
}

ObjectMap::Entry** ObjectMap::chain_of(const PortableServer::Servant* servant) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(servant);
  return &by_servant_[(address >> 4 ^ address >> 12) & (chains_ - 1)];
}

ObjectMap::Entry* ObjectMap::find(std::string_view key) noexcept {
  Entry* entry = *chain_of(key);
  while (entry != nullptr && entry->key != key) entry = entry->next_of_key;
  return entry;
}

ObjectMap::Entry* ObjectMap::find(const PortableServer::Servant* servant, bool system_id) noexcept {
  Entry* entry = *chain_of(servant);
  while (entry != nullptr && (entry->servant.get() != servant || entry->system_id != system_id))
    entry = entry->next_of_servant;
  return entry;
}

void ObjectMap::add(std::string_view key, const CORBA::object_reference<PortableServer::Servant>& servant,
                    bool system_id) {
  if (size_ == chains_) grow();
  auto* const entry = new Entry{std::string(key), servant, system_id, nullptr, nullptr};
  Entry** chain = chain_of(key);
  entry->next_of_key = *chain;
  *chain = entry;
  chain = chain_of(servant.get());
  entry->next_of_servant = *chain;
  *chain = entry;
  ++size_;
}

void ObjectMap::grow() {
  std::unique_ptr<Entry*[]> keys(new Entry*[2 * chains_]()), servants(new Entry*[2 * chains_]());
  std::swap(keys, by_key_);
  std::swap(servants, by_servant_);
  chains_ *= 2;
  for (std::size_t i = 0; i < chains_ / 2; ++i) {
    for (Entry* entry = keys[i]; entry != nullptr;) {
      Entry** const chain = chain_of(entry->key);
      entry = std::exchange(entry->next_of_key, std::exchange(*chain, entry));
    }
    for (Entry* entry = servants[i]; entry != nullptr;) {
      Entry** const chain = chain_of(entry->servant.get());
      entry = std::exchange(entry->next_of_servant, std::exchange(*chain, entry));
    }
  }
}

CORBA::object_reference<PortableServer::Servant> ObjectMap::remove(Entry* entry) noexcept {
  Entry** at = chain_of(entry->key);
  while (*at != entry) at = &(*at)->next_of_key;
  *at = entry->next_of_key;
  at = chain_of(entry->servant.get());
  while (*at != entry) at = &(*at)->next_of_servant;
  *at = entry->next_of_servant;
  --size_;
  auto servant = std::move(entry->servant);
  delete entry;
  return servant;
}

ObjectMap::Entry* ObjectMap::any() noexcept {
  for (std::size_t i = 0; i < chains_; ++i) {
    if (by_key_[i] != nullptr) return by_key_[i];
  }
  return nullptr;
}

}  // namespace orbweaver::micro
