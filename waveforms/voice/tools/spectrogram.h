// How loud is which pitch when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace orbweaver::voice {

struct Spectrogram {
  std::size_t columns = 0;  ///< along time, evenly over the whole recording
  std::size_t rows = 0;     ///< along frequency, row 0 is 0 Hz, the last is 4 kHz
  std::vector<float> db;    ///< columns × rows, a column after another; 0 dB is a full-scale tone

  float at(std::size_t column, std::size_t row) const { return db[column * rows + row]; }
};

/// Power under Hann windows of 32 ms, averaged over what falls into a column. No speech gives no columns.
Spectrogram spectrogram(std::span<const std::int16_t> speech, std::size_t columns);

}  // namespace orbweaver::voice
