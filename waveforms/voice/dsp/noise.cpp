#include "dsp/noise.h"

#include <bit>
#include <cmath>
#include <numbers>

namespace orbweaver::voice {

Noise::Noise(std::uint64_t seed) {
  // Seeds the state by splitmix64, so that close seeds give unrelated sequences and 0 is a valid seed.
  for (std::uint64_t& word : state_) {
    std::uint64_t mixed = seed += 0x9E3779B97F4A7C15;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
    word = mixed ^ mixed >> 31;
  }
}

float Noise::uniform() {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return static_cast<float>((result >> 40) + 1) * 0x1p-24F;
}

Sample Noise::next() {
  const float radius = std::sqrt(-std::log(uniform()));
  const float angle = 2.0F * std::numbers::pi_v<float> * uniform();
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace orbweaver::voice
