#pragma once

#include <complex>
#include <cstdint>

namespace orbweaver::sca {

/// Sample type of a stream; each has an interface in Stream.idl.
enum class SampleType {
  octet,     ///< std::uint8_t
  int16,     ///< std::int16_t
  real32,    ///< float
  complex32  ///< std::complex<float>
};

/// SampleType of a C++ type, as `SampleTraits<float>::kType`.
template <class Sample>
struct SampleTraits;
/// @cond internal
template <>
struct SampleTraits<std::uint8_t> {
  static constexpr SampleType kType = SampleType::octet;
};
template <>
struct SampleTraits<std::int16_t> {
  static constexpr SampleType kType = SampleType::int16;
};
template <>
struct SampleTraits<float> {
  static constexpr SampleType kType = SampleType::real32;
};
template <>
struct SampleTraits<std::complex<float>> {
  static constexpr SampleType kType = SampleType::complex32;
};
/// @endcond

}  // namespace orbweaver::sca
