#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <orbweaver/bounded.h>
#include <orbweaver/detail/cdr/decoder.h>
#include <orbweaver/detail/cdr/encoder.h>

namespace orbweaver::cdr {

/// CDR encoding of a C++ type. Specialised here for the types built into IDL, and by generated code for every
/// struct, union, enum, exception and interface:
///
///   kMinBytes   the smallest encoded size of a value; at least 1. Limits the lengths that are accepted.
///   kMaxBytes   the largest encoded size at any offset, padding included; 0: not fixed.
///   kPlain      the value has the same layout in memory as in CDR if it starts at a multiple of kAlign (no
///               padding, every bit pattern valid): arrays of it are copied as one block.
///   kAlign      alignment of the strictest member.
///   bound(v)    an upper bound of the bytes that encode writes, at any offset.
///   encode, decode
template <class T, class Enable = void>
struct Codec;

/// Upper bound of the encoded size of a value, of fixed or variable size.
template <class T>
std::size_t bound_of(const T& value) {
  if constexpr (Codec<T>::kMaxBytes != 0) {
    (void)value;
    return Codec<T>::kMaxBytes;
  } else {
    return Codec<T>::bound(value);
  }
}
template <class T>
void encode(Encoder& out, const T& value) {
  Codec<T>::encode(out, value);
}
template <class T>
void decode(Decoder& in, T& value) {
  Codec<T>::decode(in, value);
}

/// Whether values of type T contain values of value types, or references to abstract interfaces: those of
/// one message or any refer to each other. `Scope` is then ValueReadScope (values.h).
template <class T, class Enable = void>
struct HoldsValues : std::false_type {};
template <class T>
struct HoldsValues<T, std::void_t<typename Codec<T>::Scope>> : std::true_type {
  using Scope = typename Codec<T>::Scope;
};
template <class T>
struct HoldsValues<std::vector<T>> : HoldsValues<T> {};
template <class T, std::uint32_t Bound>
struct HoldsValues<IDL::bounded_vector<T, Bound>> : HoldsValues<T> {};
template <class T, std::size_t N>
struct HoldsValues<std::array<T, N>> : HoldsValues<T> {};

/// Encodes with `write(closure, Encoder&)` into a buffer of its own, whose alignment is that of `out`, and
/// appends that to `out`. The values written have one space of indirections.
void encode_apart(Encoder& out, void (*write)(const void* closure, Encoder& out), const void* closure);

/// Encoding of integers, octets, chars, floats and doubles.
template <class T>
struct Codec<T, std::enable_if_t<std::is_arithmetic_v<T> && !std::is_same_v<T, bool> &&
                                 !std::is_same_v<T, wchar_t> && !std::is_same_v<T, long double>>> {
  static constexpr std::size_t kMinBytes = sizeof(T);
  static constexpr std::size_t kMaxBytes = 2 * sizeof(T) - 1;
  static constexpr bool kPlain = true;
  static constexpr std::size_t kAlign = sizeof(T);
  static std::size_t bound(T) noexcept { return kMaxBytes; }
  static void encode(Encoder& out, T value) { out.put(value); }
  static void decode(Decoder& in, T& value) { value = in.get<T>(); }
};

template <>
struct Codec<bool> {
  static constexpr std::size_t kMinBytes = 1, kMaxBytes = 1, kAlign = 1;
  static constexpr bool kPlain = false;
  static std::size_t bound(bool) noexcept { return 1; }
  static void encode(Encoder& out, bool value) { out.put(static_cast<std::uint8_t>(value)); }
  static void decode(Decoder& in, bool& value) { value = in.get_boolean(); }
};

/// Encoding of long double: IEEE quadruple precision, 16 bytes on an 8-byte boundary (CORBA 3.3 part 2,
/// 9.3.1.3).
template <>
struct Codec<long double> {
  static constexpr std::size_t kMinBytes = 16, kMaxBytes = 23, kAlign = 8;
  static constexpr bool kPlain = false;
  static std::size_t bound(long double) noexcept { return kMaxBytes; }
  static void encode(Encoder& out, long double value);
  static void decode(Decoder& in, long double& value);
};

/// Encoding of wide characters according to the WcharEncoding; in GIOP 1.2 a length octet and big-endian
/// UTF-16 without a byte-order mark (CORBA 3.3 part 2, 9.3.1.6). Encoding raises MARSHAL in GIOP 1.0, and in
/// GIOP 1.1 DATA_CONVERSION for characters beyond two octets.
template <>
struct Codec<wchar_t> {
  static constexpr std::size_t kMinBytes = 1, kMaxBytes = 5, kAlign = 1;
  static constexpr bool kPlain = false;
  static std::size_t bound(wchar_t) noexcept { return kMaxBytes; }
  static void encode(Encoder& out, wchar_t value);
  static void decode(Decoder& in, wchar_t& value);
};

template <>
struct Codec<std::wstring> {
  static constexpr std::size_t kMinBytes = 4, kMaxBytes = 0, kAlign = 4;
  static constexpr bool kPlain = false;
  static std::size_t bound(const std::wstring& s) noexcept { return 7 + 2 + 4 * s.size(); }
  static void encode(Encoder& out, const std::wstring& s);
  static void decode(Decoder& in, std::wstring& s) { decode_bounded(in, s, 0); }
  static void decode_bounded(Decoder& in, std::wstring& s, std::uint32_t max_chars);
};

template <>
struct Codec<std::string> {
  static constexpr std::size_t kMinBytes = 4, kMaxBytes = 0, kAlign = 4;
  static constexpr bool kPlain = false;
  static std::size_t bound(std::string_view s) noexcept { return 3 + 4 + s.size() + 1; }
  static void encode(Encoder& out, std::string_view s) { out.put_string(s); }
  static void decode(Decoder& in, std::string& s) { s.assign(in.get_string_view()); }
};

/// Encoding of `@view` strings.
template <>
struct Codec<std::string_view> {
  static constexpr std::size_t kMinBytes = 4, kMaxBytes = 0, kAlign = 4;
  static constexpr bool kPlain = false;
  static std::size_t bound(std::string_view s) noexcept { return Codec<std::string>::bound(s); }
  static void encode(Encoder& out, std::string_view s) { out.put_string(s); }
  static void decode(Decoder& in, std::string_view& s) { s = in.get_string_view(); }
};

template <std::uint32_t Bound>
struct Codec<IDL::bounded_string<Bound>> {
  static constexpr std::size_t kMinBytes = 4, kMaxBytes = 0, kAlign = 4;
  static constexpr bool kPlain = false;
  static std::size_t bound(std::string_view s) noexcept { return Codec<std::string>::bound(s); }
  static void encode(Encoder& out, const IDL::bounded_string<Bound>& s) {
    out.put_string(IDL::checked_bound<Bound>(s));
  }
  static void decode(Decoder& in, IDL::bounded_string<Bound>& s) { s.assign(in.get_string_view(Bound)); }
};

template <std::uint32_t Bound>
struct Codec<IDL::bounded_wstring<Bound>> {
  static constexpr std::size_t kMinBytes = 4, kMaxBytes = 0, kAlign = 4;
  static constexpr bool kPlain = false;
  static std::size_t bound(const std::wstring& s) noexcept { return Codec<std::wstring>::bound(s); }
  static void encode(Encoder& out, const IDL::bounded_wstring<Bound>& s) {
    Codec<std::wstring>::encode(out, IDL::checked_bound<Bound>(s));
  }
  static void decode(Decoder& in, IDL::bounded_wstring<Bound>& s) {
    Codec<std::wstring>::decode_bounded(in, s, Bound);
  }
};

namespace detail {

/// Largest encoded size of an element in a sequence: elements of a fixed size have no padding between them
/// but before the first. wchar_t is arithmetic, but its encoded size varies.
template <class T>
constexpr std::size_t max_element_bytes() {
  return std::is_arithmetic_v<T> && Codec<T>::kPlain ? sizeof(T) : Codec<T>::kMaxBytes;
}

/// Encodes elements, as one block if possible: always for primitives, for plain structs if the position is
/// aligned for their strictest member.
template <class T>
void encode_elements(Encoder& out, const T* elements, std::size_t n) {
  if constexpr (std::is_arithmetic_v<T> && Codec<T>::kPlain) {
    out.put_elements(elements, n * sizeof(T), sizeof(T));
  } else if constexpr (std::is_same_v<T, std::string>) {
    out.put_strings(elements, n);
  } else {
    if constexpr (Codec<T>::kPlain) {
      if (out.size() % Codec<T>::kAlign == 0) {
        out.put_elements(elements, n * sizeof(T), Codec<T>::kAlign);
        return;
      }
    }
    for (std::size_t i = 0; i < n && out.ok(); ++i) Codec<T>::encode(out, elements[i]);
  }
}

/// Decodes elements, as one block for plain structs if also the byte order is this machine's.
template <class T>
void decode_elements(Decoder& in, T* elements, std::size_t n) {
  if constexpr (std::is_arithmetic_v<T> && Codec<T>::kPlain) {
    in.get_elements(elements, n);
  } else if constexpr (std::is_same_v<T, std::string>) {
    in.get_strings(elements, n);
  } else {
    if constexpr (Codec<T>::kPlain) {
      if (!in.swaps() && in.offset() % Codec<T>::kAlign == 0 && !in.in_chunks()) {
        if (n == 0) return;
        if (n > in.remaining() / sizeof(T)) return in.fail(Fault::truncated);
        std::memcpy(static_cast<void*>(elements), in.get_bytes(n * sizeof(T)), n * sizeof(T));
        return;
      }
    }
    for (std::size_t i = 0; i < n && in.ok(); ++i) Codec<T>::decode(in, elements[i]);
  }
}

/// Storage is allocated for the announced length if an element takes at most this many bytes of memory for
/// each byte of its smallest encoding.
inline constexpr std::size_t kMaxMemoryPerWireByte = 16;

/// Decodes other elements, such as unions with one large branch: storage grows with the decoded elements,
/// since a sender could announce many and send one. `n`: the announced length, which is possible for the
/// bytes left.
template <class Vector>
void decode_incrementally(Decoder& in, Vector& sequence, std::size_t n) {
  const std::size_t first = in.remaining() * kMaxMemoryPerWireByte / sizeof(typename Vector::value_type);
  for (std::size_t done = 0;;) {
    const std::size_t next = std::min(n, std::max({first, sequence.capacity(), 2 * done, std::size_t{1}}));
    sequence.resize(next);
    decode_elements(in, sequence.data() + done, next - done);
    if (next == n || !in.ok()) return;
    done = next;
  }
}

/// Copies elements that lie in the bytes as they do in memory, without storage that is filled with zeros
/// before. False: nothing is read.
template <class Vector>
bool assign_plain(Decoder& in, Vector& sequence, std::size_t n) {
  using T = typename Vector::value_type;
  const std::size_t gap = (0 - in.offset()) & (Codec<T>::kAlign - 1);
  if (n == 0 || (!std::is_arithmetic_v<T> && gap != 0)) return false;
  const T* const at = in.get_in_place<T>(n, gap);
  if (at == nullptr) return false;
  sequence.assign(at, at + n);
  return true;
}

template <class Vector>
void decode_sequence(Decoder& in, Vector& sequence, std::uint32_t bound) {
  using T = typename Vector::value_type;
  if (!in.enter()) return;
  if constexpr (Codec<T>::kPlain) {
    // The sender's IDL may have a view in place of this sequence.
    std::uint32_t described = 0;
    if (const T* at = in.get_block_view<T>(bound, described)) {
      sequence.assign(at, at + described);
      return in.leave();
    }
  }
  const std::uint32_t n = in.get_length(Codec<T>::kMinBytes, bound);
  if constexpr (Codec<T>::kPlain) {
    if (assign_plain(in, sequence, n)) return in.leave();
  }
  if constexpr (std::is_same_v<T, bool>) {
    sequence.resize(n);
    for (std::uint32_t i = 0; i < n && in.ok(); ++i) sequence[i] = in.get_boolean();
  } else if constexpr (sizeof(T) <= kMaxMemoryPerWireByte * Codec<T>::kMinBytes) {
    sequence.resize(n);
    decode_elements(in, sequence.data(), n);
  } else {
    decode_incrementally(in, sequence, n);
  }
  in.leave();
}

/// Sum of the bounds of strings: four sums, which the processor adds at the same time.
inline std::size_t bound_of_strings(const std::string* strings, std::size_t n) noexcept {
  std::size_t sums[4] = {n * Codec<std::string>::bound({}), 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (std::size_t k = 0; k < 4; ++k) sums[k] += strings[i + k].size();
  for (; i < n; ++i) sums[0] += strings[i].size();
  return sums[0] + sums[1] + sums[2] + sums[3];
}

template <class Sequence>
std::size_t bound_sequence(const Sequence& sequence) {
  using T = std::remove_cv_t<typename Sequence::value_type>;
  if constexpr (Codec<T>::kMaxBytes != 0) {
    return 7 + 7 + sequence.size() * max_element_bytes<T>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return 7 + bound_of_strings(sequence.data(), sequence.size());
  } else {
    std::size_t n = 7;
    for (const T& element : sequence) n += Codec<T>::bound(element);
    return n;
  }
}

template <class Sequence>
void encode_sequence(Encoder& out, const Sequence& sequence) {
  using T = std::remove_cv_t<typename Sequence::value_type>;
  out.put(static_cast<std::uint32_t>(sequence.size()));
  if constexpr (std::is_same_v<T, bool> && !std::is_pointer_v<decltype(sequence.begin())>) {
    for (const bool element : sequence) out.put(static_cast<std::uint8_t>(element));
  } else {
    encode_elements(out, sequence.data(), sequence.size());
  }
}

}  // namespace detail

template <class T>
struct Codec<std::vector<T>> {
  static constexpr std::size_t kMinBytes = 4, kMaxBytes = 0, kAlign = 4;
  static constexpr bool kPlain = false;
  static std::size_t bound(const std::vector<T>& v) { return detail::bound_sequence(v); }
  static void encode(Encoder& out, const std::vector<T>& v) { detail::encode_sequence(out, v); }
  static void decode(Decoder& in, std::vector<T>& v) { detail::decode_sequence(in, v, 0); }
};

template <class T, std::uint32_t Bound>
struct Codec<IDL::bounded_vector<T, Bound>> {
  using Vector = IDL::bounded_vector<T, Bound>;
  static constexpr std::size_t kMinBytes = 4, kMaxBytes = 0, kAlign = 4;
  static constexpr bool kPlain = false;
  static std::size_t bound(const Vector& v) { return detail::bound_sequence(v); }
  static void encode(Encoder& out, const Vector& v) {
    detail::encode_sequence(out, IDL::checked_bound<Bound>(v));
  }
  static void decode(Decoder& in, Vector& v) { detail::decode_sequence(in, v, Bound); }
};

/// Encoding of `@view` sequences: elements are primitives, or plain structs.
template <class T>
struct Codec<span<const T>> {
  static_assert(Codec<T>::kPlain, "@view needs elements that lie in memory as they do in CDR");
  static constexpr std::size_t kMinBytes = 4, kMaxBytes = 0, kAlign = 4;
  static constexpr bool kPlain = false;
  static std::size_t bound(span<const T> v) noexcept {
    return 7 + 7 + v.size() * detail::max_element_bytes<T>();
  }
  static void encode(Encoder& out, span<const T> v) {
    if (!out.put_block_description(v.data(), v.size(), v.size_bytes())) detail::encode_sequence(out, v);
  }
  static void decode(Decoder& in, span<const T>& v) { decode_bounded(in, v, 0); }
  static void decode_bounded(Decoder& in, span<const T>& v, std::uint32_t max_elements) {
    if constexpr (std::is_arithmetic_v<T>) {
      v = in.get_view<T>(max_elements);
    } else {
      std::uint32_t n = 0;
      if (const T* at = in.get_block_view<T>(max_elements, n)) {
        v = {at, n};
        return;
      }
      n = in.get_length(Codec<T>::kMinBytes, max_elements);
      v = {};
      if (n == 0) return;
      if (!in.swaps() && in.offset() % Codec<T>::kAlign == 0 && !in.in_chunks() &&
          reinterpret_cast<std::uintptr_t>(in.position()) % alignof(T) == 0) {
        const std::uint8_t* at = in.get_bytes(std::size_t{n} * sizeof(T));
        if (at != nullptr) v = {reinterpret_cast<const T*>(at), n};
        return;
      }
      void* storage = in.scratch() ? in.scratch()->take(std::size_t{n} * sizeof(T), alignof(T)) : nullptr;
      if (storage == nullptr) return in.fail(Fault::bad_length);
      T* copy = static_cast<T*>(storage);
      for (std::uint32_t i = 0; i < n; ++i) new (copy + i) T();
      detail::decode_elements(in, copy, n);
      v = {copy, n};
    }
  }
};

template <class T, std::size_t N>
struct Codec<std::array<T, N>> {
  static constexpr std::size_t kMinBytes = N * Codec<T>::kMinBytes;
  static constexpr std::size_t kMaxBytes =
      std::is_arithmetic_v<T> && Codec<T>::kPlain ? N * sizeof(T) + sizeof(T) - 1 : N * Codec<T>::kMaxBytes;
  static constexpr bool kPlain = Codec<T>::kPlain;
  static constexpr std::size_t kAlign = Codec<T>::kAlign;
  static std::size_t bound(const std::array<T, N>& a) {
    std::size_t n = 0;
    for (const T& element : a) n += bound_of(element);
    return n;
  }
  static void encode(Encoder& out, const std::array<T, N>& a) { detail::encode_elements(out, a.data(), N); }
  static void decode(Decoder& in, std::array<T, N>& a) { detail::decode_elements(in, a.data(), N); }
};

}  // namespace orbweaver::cdr
