// Generates a self-contained HTML page about a run: it refers to no other file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tools/run_result.h"
#include "tools/verdicts.h"

namespace orbweaver::voice {

/// The contents of the page besides the result of the run.
struct PageParts {
  std::vector<Verdict> verdicts;
  double audio_seconds = 0.0;
  std::string input_name, output_name;
  std::string input_about;  ///< description and origin of the speech; may be empty
  std::string waveform_in, waveform_out, spectrogram_in, spectrogram_out, zoom;  ///< svg
  std::vector<std::string> latencies;                                            ///< svg, one per hop
  std::string audio_in_wav, audio_out_wav;  ///< contents of WAV files; empty: no players
};

/// Returns the HTML text of the page.
std::string page(const RunResult& run, const PageParts& parts);

/// Replaces every {{name}} in `text`. Throws std::logic_error if a name has no value, which is a programming
/// error.
std::string fill_template(const std::string& text,
                          const std::vector<std::pair<std::string, std::string>>& values);

std::string escaped(const std::string& text);  ///< escapes for HTML text and attributes
std::string base64(const std::string& octets);
std::string grouped(std::uint64_t number);  ///< "1,234,567" for 1234567

}  // namespace orbweaver::voice
