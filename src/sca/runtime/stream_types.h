#pragma once

#include <complex>
#include <cstdint>
#include <span>

#include <orbweaver/sca/detail/stream_monitor.h>
#include <orbweaver/sca/samples.h>
#include <orbweaver/sca/stream_metadata.h>
#include "StreamC.h"

namespace orbweaver::sca {

/// Maps a C++ sample type to the interface of Stream.idl that carries it and to the interface's element type.
template <class Sample>
struct StreamInterface;
template <>
struct StreamInterface<std::uint8_t> {
  using Stub = ::orbweaver::stream::OctetInput;
  using Element = std::uint8_t;
};
template <>
struct StreamInterface<std::int16_t> {
  using Stub = ::orbweaver::stream::ShortInput;
  using Element = std::int16_t;
};
template <>
struct StreamInterface<float> {
  using Stub = ::orbweaver::stream::FloatInput;
  using Element = float;
};
template <>
struct StreamInterface<std::complex<float>> {
  using Stub = ::orbweaver::stream::ComplexFloatInput;
  using Element = ::orbweaver::stream::ComplexFloat;
};

/// Reinterprets samples as the other type without copying. Both are two consecutive floats: std::complex
/// guarantees it, and the assertions below check it for ComplexFloat.
static_assert(sizeof(::orbweaver::stream::ComplexFloat) == sizeof(std::complex<float>));
static_assert(std::is_trivially_copyable_v<::orbweaver::stream::ComplexFloat>);

template <class To, class From>
std::span<const To> reinterpret_samples(std::span<const From> samples) {
  static_assert(sizeof(To) == sizeof(From));
  if constexpr (std::is_same_v<To, From>) {
    return samples;
  } else {
    return {reinterpret_cast<const To*>(samples.data()), samples.size()};
  }
}

inline ::orbweaver::stream::StreamHeader to_idl(const PacketHeader& h) {
  return {h.stream_id, h.sequence_number, h.sent_ns, h.sample_rate_hz,
          h.end_of_stream ? ::orbweaver::stream::END_OF_STREAM : 0};
}
inline PacketHeader from_idl(const ::orbweaver::stream::StreamHeader& h) {
  return {h.stream_id(), h.sequence_number(), h.sent_ns(), h.sample_rate_hz(),
          (h.flags() & ::orbweaver::stream::END_OF_STREAM) != 0};
}

/// Metadata of a stream as the struct of Stream.idl, and back.
::orbweaver::stream::StreamMetadata to_idl(const StreamMetadata& metadata);
StreamMetadata from_idl(const ::orbweaver::stream::StreamMetadata& metadata);

}  // namespace orbweaver::sca
