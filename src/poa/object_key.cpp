#include "poa/object_key.h"

#include <bit>
#include <cstring>

namespace orbweaver::poa {
namespace {

// "OW", format version, kind of key.
constexpr std::uint8_t kSlotKeyMagic[4] = {'O', 'W', 1, 'S'};
constexpr std::uint8_t kNameKeyMagic[4] = {'O', 'W', 1, 'N'};
constexpr std::size_t kSlotKeyBytes = 20;
constexpr std::size_t kNameKeyHeaderBytes = 14;

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
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(value | static_cast<T>(at[i]) << (8 * i));
  return value;
}

}  // namespace

bool is_structured_key(Bytes key) noexcept {
  return key.size() >= 3 && std::memcmp(key.data(), kSlotKeyMagic, 2) == 0 && key[2] < 0x20;
}

std::vector<std::uint8_t> encode(Incarnation incarnation, const SlotKey& key) {
  std::vector<std::uint8_t> bytes(kSlotKeyMagic, kSlotKeyMagic + 4);
  append(bytes, incarnation);
  append(bytes, key.slot);
  append(bytes, key.generation);
  return bytes;
}

std::vector<std::uint8_t> encode(const NameKey& key) {
  std::vector<std::uint8_t> bytes(kNameKeyMagic, kNameKeyMagic + 4);
  append(bytes, key.incarnation);
  append(bytes, static_cast<std::uint16_t>(key.path.size()));
  bytes.insert(bytes.end(), key.path.begin(), key.path.end());
  bytes.insert(bytes.end(), key.id.begin(), key.id.end());
  return bytes;
}

bool decode(Bytes key, Incarnation incarnation, SlotKey& slot) noexcept {
  if (key.size() != kSlotKeyBytes || std::memcmp(key.data(), kSlotKeyMagic, 4) != 0) return false;
  if (read<Incarnation>(key.data() + 4) != incarnation) return false;
  slot.slot = read<std::uint32_t>(key.data() + 12);
  slot.generation = read<std::uint32_t>(key.data() + 16);
  return true;
}

bool decode(Bytes key, NameKey& name) noexcept {
  if (key.size() < kNameKeyHeaderBytes || std::memcmp(key.data(), kNameKeyMagic, 4) != 0) return false;
  name.incarnation = read<Incarnation>(key.data() + 4);
  const std::size_t path = read<std::uint16_t>(key.data() + 12);
  if (path > key.size() - kNameKeyHeaderBytes) return false;
  name.path = {reinterpret_cast<const char*>(key.data()) + kNameKeyHeaderBytes, path};
  name.id = key.subspan(kNameKeyHeaderBytes + path);
  return true;
}

}  // namespace orbweaver::poa
