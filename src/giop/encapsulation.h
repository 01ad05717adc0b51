#pragma once

#include <orbweaver/cdr/decoder.h>
#include <orbweaver/cdr/encoder.h>

#include <cstdint>
#include <vector>

#include "base/bytes.h"

/// Encapsulations: CDR in an octet sequence, with a byte order and an alignment of its own, which begin
/// with the octet that tells the byte order (CORBA 3.3 part 2, 9.3.3).
namespace orbweaver::giop {

/// A decoder behind the byte-order octet. An empty encapsulation, or one that starts with neither 0 nor
/// 1, gives a decoder that has failed.
inline cdr::Decoder open_encapsulation(Bytes bytes, cdr::Scratch* scratch = nullptr) noexcept {
  constexpr bool kLittle = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  const std::uint8_t order = bytes.empty() ? 0 : *static_cast<const volatile std::uint8_t*>(bytes.data());
  cdr::Decoder in(bytes.data(), bytes.size(), (order == 1) != kLittle, scratch);
  if (order > 1) {
    in.fail(cdr::Fault::bad_boolean);
  } else {
    in.skip(1);
  }
  return in;
}

/// `write(Encoder&)` into a fresh encapsulation of this machine's byte order.
template <class Write>
std::vector<std::uint8_t> encapsulated(Write&& write) {
  constexpr bool kLittle = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  std::vector<std::uint8_t> bytes;
  cdr::Encoder out(bytes);
  out.put(static_cast<std::uint8_t>(kLittle));
  write(out);
  out.finish();
  return bytes;
}

/// An octet sequence in place; empty after a fault.
inline Bytes get_octets(cdr::Decoder& in) noexcept {
  const std::uint32_t n = in.get_length(1);
  const std::uint8_t* at = in.get_bytes(n);
  return at == nullptr ? Bytes{} : Bytes{at, n};
}
inline void put_octets(cdr::Encoder& out, Bytes octets) {
  out.put(static_cast<std::uint32_t>(octets.size()));
  out.put_bytes(octets.data(), octets.size());
}

}  // namespace orbweaver::giop
