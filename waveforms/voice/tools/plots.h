// The page's pictures, as scripts for gnuplot.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tools/gnuplot.h"
#include "tools/run_result.h"

namespace orbweaver::voice {

/// The whole recording, as the highest and the lowest sample under each pixel.
Drawing waveform_plot(std::span<const std::int16_t> speech, const std::string& colour);

/// 0 to 4 kHz over the whole recording.
Drawing spectrogram_plot(std::span<const std::int16_t> speech);

/// The loudest 40 milliseconds of `in`, and `out` at the same time.
Drawing zoom_plot(std::span<const std::int16_t> in, std::span<const std::int16_t> out);

/// Latencies of one hop: microseconds from `low_us` to `high_us`, both above 0, on a logarithmic scale.
Drawing latency_plot(const RunHop& hop, double low_us, double high_us);

}  // namespace orbweaver::voice
