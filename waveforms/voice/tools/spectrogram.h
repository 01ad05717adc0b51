// Spectrogram of speech: power over time and frequency.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace orbweaver::voice {

/// Power over time and frequency in decibels.
struct Spectrogram {
  std::size_t columns = 0;  ///< time, evenly over the whole recording
  std::size_t rows = 0;     ///< frequency: row 0 is 0 Hz, the last 4 kHz
  std::vector<float> db;    ///< columns × rows, column by column; 0 dB is a full-scale tone

  float at(std::size_t column, std::size_t row) const { return db[column * rows + row]; }
};

/// Power in Hann windows of 32 ms, averaged over the windows of each column. Without speech there are no
/// columns.
Spectrogram spectrogram(std::span<const std::int16_t> speech, std::size_t columns);

}  // namespace orbweaver::voice
