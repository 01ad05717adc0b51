// Reproducible white Gaussian noise.
#pragma once

#include <cstdint>

#include "dsp/rates.h"

namespace orbweaver::voice {

/// A generator whose samples depend on the seed only: xoshiro256++ with the Box-Muller transform, implemented
/// here because the distributions of standard libraries differ.
class Noise {
 public:
  explicit Noise(std::uint64_t seed);

  /// Returns a circular complex Gaussian sample with mean power 1.
  Sample next();

  /// Returns a uniformly distributed number in (0, 1].
  float uniform();

 private:
  std::uint64_t state_[4];
};

}  // namespace orbweaver::voice
