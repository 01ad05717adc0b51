#pragma once

#include <complex>
#include <cstdint>

namespace orbweaver::sca {

/// Type of samples.
enum class SampleType {
  octet,          ///< std::uint8_t
  int8,           ///< std::int8_t
  int16,          ///< std::int16_t
  int32,          ///< std::int32_t
  real32,         ///< float
  real64,         ///< double
  complex_int8,   ///< std::complex<std::int8_t>
  complex_int16,  ///< std::complex<std::int16_t>
  complex_int32,  ///< std::complex<std::int32_t>
  complex32,      ///< std::complex<float>
  complex64       ///< std::complex<double>
};

/// The IDL that a port implements or calls.
enum class PortInterface {
  stream,  ///< Of Stream.idl: Input, Output.
  ossie    ///< The standard interfaces of OSSIE: OssieInput, OssieOutput.
};

/// SampleType of a C++ type, as `SampleTraits<float>::kType`, and the interfaces that carry it.
template <class Sample>
struct SampleTraits;
/// @cond internal
namespace detail {
template <SampleType type, bool stream, bool ossie>
struct SampleTraitsOf {
  static constexpr SampleType kType = type;
  static constexpr bool kIsInStream = stream;  // Stream.idl has an interface for it
  static constexpr bool kIsInOssie = ossie;    // OSSIE has
};
}  // namespace detail
template <>
struct SampleTraits<std::uint8_t> : detail::SampleTraitsOf<SampleType::octet, true, false> {};
template <>
struct SampleTraits<std::int8_t> : detail::SampleTraitsOf<SampleType::int8, false, true> {};
template <>
struct SampleTraits<std::int16_t> : detail::SampleTraitsOf<SampleType::int16, true, true> {};
template <>
struct SampleTraits<std::int32_t> : detail::SampleTraitsOf<SampleType::int32, false, true> {};
template <>
struct SampleTraits<float> : detail::SampleTraitsOf<SampleType::real32, true, true> {};
template <>
struct SampleTraits<double> : detail::SampleTraitsOf<SampleType::real64, false, true> {};
template <>
struct SampleTraits<std::complex<std::int8_t>>
    : detail::SampleTraitsOf<SampleType::complex_int8, false, true> {};
template <>
struct SampleTraits<std::complex<std::int16_t>>
    : detail::SampleTraitsOf<SampleType::complex_int16, false, true> {};
template <>
struct SampleTraits<std::complex<std::int32_t>>
    : detail::SampleTraitsOf<SampleType::complex_int32, false, true> {};
template <>
struct SampleTraits<std::complex<float>> : detail::SampleTraitsOf<SampleType::complex32, true, true> {};
template <>
struct SampleTraits<std::complex<double>> : detail::SampleTraitsOf<SampleType::complex64, false, true> {};
/// @endcond

}  // namespace orbweaver::sca
