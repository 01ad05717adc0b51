#pragma once

#include <orbweaver/detail/cdr/decoder.h>
#include <orbweaver/detail/cdr/encoder.h>

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "giop/message.h"

/// Encapsulations: CDR in an octet sequence with its own byte order and alignment, starting with an octet for
/// the byte order (CORBA 3.3 part 2, 9.3.3).
namespace orbweaver::giop {

/// A decoder positioned after the byte-order octet. It has a fault if the encapsulation is empty or its first
/// octet is neither 0 nor 1. `bytes` must be valid as long as the decoder.
inline cdr::Decoder open_encapsulation(Bytes bytes, cdr::Scratch* scratch = nullptr) noexcept {
  const std::uint8_t order = bytes.empty() ? 0 : *static_cast<const volatile std::uint8_t*>(bytes.data());
  cdr::Decoder in(bytes.data(), bytes.size(), (order == 1) != kThisMachineIsLittleEndian, scratch);
  if (order > 1) {
    in.fail(cdr::Fault::bad_boolean);
  } else {
    in.skip(1);
  }
  return in;
}

/// Calls `write(Encoder&)` and returns the output as an encapsulation in this machine's byte order.
template <class Write>
std::vector<std::uint8_t> encapsulated(Write&& write) {
  std::vector<std::uint8_t> bytes;
  cdr::Encoder out(bytes);
  out.put(static_cast<std::uint8_t>(kThisMachineIsLittleEndian));
  write(out);
  out.finish();
  return bytes;
}

/// Reads an octet sequence in place; empty after a fault.
inline Bytes get_octets(cdr::Decoder& in) noexcept {
  const std::uint32_t n = in.get_length(1);
  const std::uint8_t* at = in.get_bytes(n);
  return at == nullptr ? Bytes{} : Bytes{at, n};
}
/// Writes an octet sequence: its length and the octets.
inline void put_octets(cdr::Encoder& out, Bytes octets) {
  out.put(static_cast<std::uint32_t>(octets.size()));
  out.put_bytes(octets.data(), octets.size());
}

}  // namespace orbweaver::giop
