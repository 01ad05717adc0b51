// One self-contained HTML page about a run: everything it shows is inside it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tools/run_result.h"
#include "tools/verdicts.h"

namespace orbweaver::voice {

/// What the page needs beside the figures.
struct PageParts {
  std::vector<Verdict> verdicts;
  double audio_seconds = 0.0;
  std::string input_name, output_name;
  std::string input_about;  ///< what the speech is and where it is from; may be empty
  std::string waveform_in, waveform_out, spectrogram_in, spectrogram_out, zoom;  ///< svg
  std::vector<std::string> latencies;                                            ///< svg, one a hop
  std::string audio_in_wav, audio_out_wav;  ///< the octets of WAV files; empty for no players
};

std::string page(const RunResult& run, const PageParts& parts);

/// Replaces every {{name}} in `text`. Throws std::logic_error for a name that has no value: a bug of ours.
std::string fill_template(const std::string& text,
                          const std::vector<std::pair<std::string, std::string>>& values);

std::string escaped(const std::string& text);  ///< for HTML, in text and in attributes
std::string base64(const std::string& octets);
std::string grouped(std::uint64_t number);  ///< 1234567 as 1,234,567

}  // namespace orbweaver::voice
