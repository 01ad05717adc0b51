#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>

#include <orbweaver/sca/samples.h>
#include "OssieInputsC.h"
#include "sca/runtime/stream_types.h"

namespace orbweaver::sca {

/// The interfaces of an OSSIE port: Stub is that of our inputs, which inherits Standard, that of OSSIE.
/// Element is that of pushSamples, and Part that of pushPacket.
template <class StubType, class StandardType, class ElementType, class PartType>
struct OssieInterfaceOf {
  using Stub = StubType;
  using Standard = StandardType;
  using Element = ElementType;
  using Part = PartType;
  /// `target` is a stub or a skeleton.
  template <class Target>
  static void push(Target& target, const ::orbweaver::stream::StreamHeader& header,
                   std::span<const Element> samples) {
    target.pushSamples(header, samples);
  }
};

/// Maps a C++ sample type to the interface of OSSIE that carries it.
template <class Sample>
struct OssieInterface;
template <>
struct OssieInterface<std::int8_t> : OssieInterfaceOf<::orbweaver::stream::OssieRealChar,
                                                      ::standardInterfaces::realChar, std::uint8_t, char> {};
template <>
struct OssieInterface<std::int16_t>
    : OssieInterfaceOf<::orbweaver::stream::OssieRealShort, ::standardInterfaces::realShort, std::int16_t,
                       std::int16_t> {};
template <>
struct OssieInterface<std::int32_t>
    : OssieInterfaceOf<::orbweaver::stream::OssieRealLong, ::standardInterfaces::realLong, std::int32_t,
                       std::int32_t> {};
template <>
struct OssieInterface<float>
    : OssieInterfaceOf<::orbweaver::stream::OssieRealFloat, ::standardInterfaces::realFloat, float, float> {};
template <>
struct OssieInterface<double> : OssieInterfaceOf<::orbweaver::stream::OssieRealDouble,
                                                 ::standardInterfaces::realDouble, double, double> {};
template <>
struct OssieInterface<std::complex<std::int8_t>>
    : OssieInterfaceOf<::orbweaver::stream::OssieComplexChar, ::standardInterfaces::complexChar, std::uint8_t,
                       char> {};
template <>
struct OssieInterface<std::complex<std::int16_t>>
    : OssieInterfaceOf<::orbweaver::stream::OssieComplexShort, ::standardInterfaces::complexShort,
                       std::int16_t, std::int16_t> {};
template <>
struct OssieInterface<std::complex<std::int32_t>>
    : OssieInterfaceOf<::orbweaver::stream::OssieComplexLong, ::standardInterfaces::complexLong, std::int32_t,
                       std::int32_t> {};
template <>
struct OssieInterface<std::complex<float>>
    : OssieInterfaceOf<::orbweaver::stream::OssieComplexFloat, ::standardInterfaces::complexFloat, float,
                       float> {};
template <>
struct OssieInterface<std::complex<double>>
    : OssieInterfaceOf<::orbweaver::stream::OssieComplexDouble, ::standardInterfaces::complexDouble, double,
                       double> {};

template <class Sample>
inline constexpr bool kIsComplex = false;
template <class Part>
inline constexpr bool kIsComplex<std::complex<Part>> = true;

// The parts of a complex sample are consecutive, also of integers: libstdc++ and libc++ have no other
// members.
static_assert(sizeof(std::complex<std::int8_t>) == 2 && sizeof(std::complex<std::int16_t>) == 4 &&
              sizeof(std::complex<std::int32_t>) == 8);

/// Calls `function` with a std::type_identity of the sample type of an OSSIE port.
template <class Function>
auto with_ossie_sample(SampleType type, Function function) {
  switch (type) {
    case SampleType::octet: break;
    case SampleType::int8: return function(std::type_identity<std::int8_t>());
    case SampleType::int16: return function(std::type_identity<std::int16_t>());
    case SampleType::int32: return function(std::type_identity<std::int32_t>());
    case SampleType::real32: return function(std::type_identity<float>());
    case SampleType::real64: return function(std::type_identity<double>());
    case SampleType::complex_int8: return function(std::type_identity<std::complex<std::int8_t>>());
    case SampleType::complex_int16: return function(std::type_identity<std::complex<std::int16_t>>());
    case SampleType::complex_int32: return function(std::type_identity<std::complex<std::int32_t>>());
    case SampleType::complex32: return function(std::type_identity<std::complex<float>>());
    case SampleType::complex64: return function(std::type_identity<std::complex<double>>());
  }
  throw std::invalid_argument("OSSIE has no interface for samples of this type");
}

}  // namespace orbweaver::sca
