#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace orbweaver {

namespace cdr {
class Decoder;
}

/// An exception of an operation's `raises` clause, with its decoder for replies.
struct RaisedException {
  const char* repository_id;
  /// Decodes the members and throws; returns only if they do not decode.
  void (*raise)(cdr::Decoder& members);
};

/// Signature data of an operation or of an attribute's accessor ("_get_x", "_set_x"). Generated, constant,
/// shared by stub and skeleton.
struct Operation {
  const char* name;
  std::uint32_t name_bytes;
  bool oneway;
  const RaisedException* raises;
  std::uint32_t raises_count;
};

/// Repository ids of an interface and of all those that it inherits, itself first. Generated, constant.
struct Interface {
  const char* repository_id;
  const char* const* ancestors;
  std::uint32_t ancestor_count;
};

/// Hash with which a skeleton finds an operation. The IDL compiler searches for a `seed` and a power of two
/// above the number of operations without collisions among an interface's names.
constexpr std::uint32_t operation_hash(const char* name, std::size_t bytes, std::uint32_t seed) noexcept {
  std::uint64_t h = seed * 0x9e3779b97f4a7c15u + bytes;
  std::size_t i = 0;
  while (i < bytes) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < 8 && i < bytes; ++k, ++i) {
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(name[i])) << (8 * k);
    }
    h = (h ^ word) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  return static_cast<std::uint32_t>(h >> 16);
}

/// The same value as operation_hash, computed eight bytes at a time, for names in requests.
inline std::uint32_t operation_hash_fast(const char* name, std::size_t bytes, std::uint32_t seed) noexcept {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  std::uint64_t h = seed * 0x9e3779b97f4a7c15u + bytes;
  for (; bytes >= 8; bytes -= 8, name += 8) {
    std::uint64_t word;
    std::memcpy(&word, name, 8);
    h = (h ^ word) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  if (bytes > 0) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < bytes; ++k) {
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(name[k])) << (8 * k);
    }
    h = (h ^ word) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  return static_cast<std::uint32_t>(h >> 16);
#else
  return operation_hash(name, bytes, seed);
#endif
}

}  // namespace orbweaver
