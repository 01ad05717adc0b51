// Repeatable white Gaussian noise.
#pragma once

#include <cstdint>

#include "dsp/rates.h"

namespace orbweaver::voice {

/// The same seed gives the same samples. xoshiro256++ for the bits, Box and Muller for the shape: written
/// out because the standard library's distributions differ from one implementation to the next.
class Noise {
 public:
  explicit Noise(std::uint64_t seed);

  /// A circular complex Gaussian sample of mean power 1.
  Sample next();

  /// A number in (0, 1].
  float uniform();

 private:
  std::uint64_t state_[4];
};

}  // namespace orbweaver::voice
