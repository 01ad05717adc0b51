// Conversion between long double and the 128-bit IEEE format of CDR.
#pragma once

#include <cstdint>

namespace orbweaver::cdr {

/// A number of the IEEE format binary128: sign (1 bit), exponent (15, biased by 16383), fraction (112).
struct Binary128 {
  std::uint64_t upper = 0;  ///< Sign, exponent and the first 48 bits of the fraction.
  std::uint64_t lower = 0;  ///< The rest of the fraction.

  bool operator==(const Binary128&) const noexcept = default;
};

/// Converts by arithmetic, for machines whose compiler has no conversion: long double may be the format of
/// double (ARM), a sum of two doubles (PowerPC), or x86's with 64 bits of mantissa. A number that the other
/// format cannot represent is rounded to the nearest one, or becomes infinite. A NaN keeps its sign only.
Binary128 binary128_of(long double value) noexcept;
long double long_double_of(Binary128 number) noexcept;

}  // namespace orbweaver::cdr
