// The page's plots, as gnuplot scripts.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tools/gnuplot.h"
#include "tools/run_result.h"

namespace orbweaver::voice {

/// The waveform of the whole recording: the highest and the lowest sample of each pixel column.
Drawing waveform_plot(std::span<const std::int16_t> speech, const std::string& colour);

/// The spectrogram of the whole recording, 0 to 4 kHz.
Drawing spectrogram_plot(std::span<const std::int16_t> speech);

/// The loudest 40 milliseconds of `in`, with `out` at the same time.
Drawing zoom_plot(std::span<const std::int16_t> in, std::span<const std::int16_t> out);

/// The latency histogram of one hop from `low_us` to `high_us` microseconds, both above 0, on a logarithmic
/// scale.
Drawing latency_plot(const RunHop& hop, double low_us, double high_us);

}  // namespace orbweaver::voice
