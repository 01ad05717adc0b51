#pragma once

#include <orbweaver/detail/cdr/codec.h>
#include <orbweaver/detail/typecode_fwd.h>

#include <cstdint>
#include <map>
#include <utility>

namespace IDL {

/// A bounded map: a std::map whose size is checked when it is encoded or decoded. `Bound` in elements.
template <class K, class V, std::uint32_t Bound>
class bounded_map : public std::map<K, V> {
 public:
  using std::map<K, V>::map;
  using std::map<K, V>::operator=;
  bounded_map() = default;
  bounded_map(const std::map<K, V>& m) : std::map<K, V>(m) {}
  bounded_map(std::map<K, V>&& m) noexcept : std::map<K, V>(std::move(m)) {}
  static constexpr std::uint32_t bound() noexcept { return Bound; }
};

template <class K, class V>
struct traits<std::map<K, V>> : sized_traits<std::map<K, V>, 0> {
  using key_traits = traits<K>;
  using value_traits = traits<V>;
};
template <class K, class V, std::uint32_t Bound>
struct traits<bounded_map<K, V, Bound>> : sized_traits<bounded_map<K, V, Bound>, Bound> {
  using key_traits = traits<K>;
  using value_traits = traits<V>;
};

}  // namespace IDL

namespace orbweaver::cdr {

namespace detail {

template <class Map>
std::size_t bound_map(const Map& map) {
  std::size_t n = 7;
  for (const auto& [key, value] : map) n += bound_of(key) + bound_of(value);
  return n;
}
template <class Map>
void encode_map(Encoder& out, const Map& map) {
  out.put(static_cast<std::uint32_t>(map.size()));
  for (const auto& [key, value] : map) {
    cdr::encode(out, key);
    cdr::encode(out, value);
  }
}
template <class Map>
void decode_map(Decoder& in, Map& map, std::uint32_t bound) {
  using K = typename Map::key_type;
  using V = typename Map::mapped_type;
  map.clear();
  if (!in.enter()) return;
  const std::uint32_t n = in.get_length(Codec<K>::kMinBytes + Codec<V>::kMinBytes, bound);
  for (std::uint32_t i = 0; i < n && in.ok(); ++i) {
    K key{};
    V value{};
    cdr::decode(in, key);
    cdr::decode(in, value);
    map.insert_or_assign(std::move(key), std::move(value));
  }
  in.leave();
}

}  // namespace detail

template <class K, class V>
struct HoldsValues<std::map<K, V>> : HoldsValues<V> {};
template <class K, class V, std::uint32_t Bound>
struct HoldsValues<IDL::bounded_map<K, V, Bound>> : HoldsValues<V> {};

/// Encoding of maps: a sequence of pairs (DDS-XTypes 1.3, 7.4.3.5), in the order of the keys.
template <class K, class V>
struct Codec<std::map<K, V>> {
  static constexpr std::size_t kMinBytes = 4, kMaxBytes = 0, kAlign = 4;
  static constexpr bool kPlain = false;
  static std::size_t bound(const std::map<K, V>& m) { return detail::bound_map(m); }
  static void encode(Encoder& out, const std::map<K, V>& m) { detail::encode_map(out, m); }
  static void decode(Decoder& in, std::map<K, V>& m) { detail::decode_map(in, m, 0); }
};

template <class K, class V, std::uint32_t Bound>
struct Codec<IDL::bounded_map<K, V, Bound>> {
  using Map = IDL::bounded_map<K, V, Bound>;
  static constexpr std::size_t kMinBytes = 4, kMaxBytes = 0, kAlign = 4;
  static constexpr bool kPlain = false;
  static std::size_t bound(const Map& m) { return detail::bound_map(m); }
  static void encode(Encoder& out, const Map& m) { detail::encode_map(out, IDL::checked_bound<Bound>(m)); }
  static void decode(Decoder& in, Map& m) { detail::decode_map(in, m, Bound); }
};

}  // namespace orbweaver::cdr

namespace orbweaver {

/// TypeCode of a map: a sequence of structs without a name, as in its encoding, since CORBA has no maps.
template <class K, class V>
struct TypeCodeOf<std::map<K, V>> {
  static const CORBA::TypeCode& get() noexcept { return typecode::detail::map_of<K, V, 0>(); }
};
template <class K, class V, std::uint32_t Bound>
struct TypeCodeOf<IDL::bounded_map<K, V, Bound>> {
  static const CORBA::TypeCode& get() noexcept { return typecode::detail::map_of<K, V, Bound>(); }
};

}  // namespace orbweaver
