#include "poa/object_key.h"

#include <bit>
#include <cstring>

namespace orbweaver::poa {
namespace {

// 'O' 'W', the format's version, the kind.
constexpr std::uint8_t kSlotMagic[4] = {'O', 'W', 1, 'S'};
constexpr std::uint8_t kNameMagic[4] = {'O', 'W', 1, 'N'};
constexpr std::size_t kSlotKeyBytes = 20;
constexpr std::size_t kNameHeadBytes = 14;

template <class T>
void append(std::vector<std::uint8_t>& bytes, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

template <class T>
T read(const std::uint8_t* at) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value = static_cast<T>(value | static_cast<T>(at[i]) << (8 * i));
  return value;
}

}  // namespace

std::vector<std::uint8_t> encode(Incarnation incarnation, const SlotKey& key) {
  std::vector<std::uint8_t> bytes(kSlotMagic, kSlotMagic + 4);
  append(bytes, incarnation);
  append(bytes, key.slot);
  append(bytes, key.generation);
  return bytes;
}

std::vector<std::uint8_t> encode(const NameKey& key) {
  std::vector<std::uint8_t> bytes(kNameMagic, kNameMagic + 4);
  append(bytes, key.incarnation);
  append(bytes, static_cast<std::uint16_t>(key.path.size()));
  bytes.insert(bytes.end(), key.path.begin(), key.path.end());
  bytes.insert(bytes.end(), key.id.begin(), key.id.end());
  return bytes;
}

bool decode(Bytes key, Incarnation incarnation, SlotKey& slot) noexcept {
  if (key.size() != kSlotKeyBytes || std::memcmp(key.data(), kSlotMagic, 4) != 0) return false;
  if (read<Incarnation>(key.data() + 4) != incarnation) return false;
  slot.slot = read<std::uint32_t>(key.data() + 12);
  slot.generation = read<std::uint32_t>(key.data() + 16);
  return true;
}

bool decode(Bytes key, NameKey& name) noexcept {
  if (key.size() < kNameHeadBytes || std::memcmp(key.data(), kNameMagic, 4) != 0) return false;
  name.incarnation = read<Incarnation>(key.data() + 4);
  const std::size_t path = read<std::uint16_t>(key.data() + 12);
  if (path > key.size() - kNameHeadBytes) return false;
  name.path = {reinterpret_cast<const char*>(key.data()) + kNameHeadBytes, path};
  name.id = key.subspan(kNameHeadBytes + path);
  return true;
}

}  // namespace orbweaver::poa
