#pragma once

#include <complex>
#include <cstdint>
#include <span>

#include <orbweaver/sca/detail/stream_monitor.h>
#include <orbweaver/sca/samples.h>
#include <orbweaver/sca/stream_metadata.h>
#include "StreamC.h"

namespace orbweaver::sca {

/// An interface that carries samples, the type of its elements, and its operation.
template <class StubType, class ElementType>
struct StreamInterfaceOf {
  using Stub = StubType;
  using Element = ElementType;
  /// `target` is a stub or a skeleton.
  template <class Target>
  static void push(Target& target, const ::orbweaver::stream::StreamHeader& header,
                   std::span<const Element> samples) {
    target.pushPacket(header, samples);
  }
};

/// Maps a C++ sample type to the interface of Stream.idl that carries it.
template <class Sample>
struct StreamInterface;
template <>
struct StreamInterface<std::uint8_t> : StreamInterfaceOf<::orbweaver::stream::OctetInput, std::uint8_t> {};
template <>
struct StreamInterface<std::int16_t> : StreamInterfaceOf<::orbweaver::stream::ShortInput, std::int16_t> {};
template <>
struct StreamInterface<float> : StreamInterfaceOf<::orbweaver::stream::FloatInput, float> {};
template <>
struct StreamInterface<std::complex<float>>
    : StreamInterfaceOf<::orbweaver::stream::ComplexFloatInput, ::orbweaver::stream::ComplexFloat> {};

/// Reinterprets samples as another type without copying: integers of one size as each other, and complex
/// samples as their parts. std::complex<float> guarantees that these are consecutive; the assertions check
/// sizes.
static_assert(sizeof(::orbweaver::stream::ComplexFloat) == sizeof(std::complex<float>));
static_assert(std::is_trivially_copyable_v<::orbweaver::stream::ComplexFloat>);

template <class To, class From>
std::span<const To> reinterpret_samples(std::span<const From> samples) {
  if constexpr (std::is_same_v<To, From>) {
    return samples;
  } else {
    static_assert(sizeof(To) % sizeof(From) == 0 || sizeof(From) % sizeof(To) == 0);
    return {reinterpret_cast<const To*>(samples.data()), samples.size_bytes() / sizeof(To)};
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

/// The statistics of a connection's stream; null if none has been received. Senders of OSSIE tell no id:
/// stream 0 is that of the connection if the port has no other.
const ::orbweaver::stream::StreamStatistics* find_stream(
    const ::orbweaver::stream::InputStatistics& statistics, std::uint64_t stream_id);

/// Metadata of a stream as the struct of Stream.idl, and back.
::orbweaver::stream::StreamMetadata to_idl(const StreamMetadata& metadata);
StreamMetadata from_idl(const ::orbweaver::stream::StreamMetadata& metadata);

}  // namespace orbweaver::sca
