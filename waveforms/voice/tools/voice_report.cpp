// voice-report RESULT.json --in SPEECH [--about TEXT] --out OUTPUT.wav --html PAGE.html
//
// Checks a run of the voice waveform and writes a page about it. Exits with 0 if every check passes, with 1
// if one fails (the page says which), with 2 if the page could not be written.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "dsp/cvsd.h"
#include "dsp/speech_file.h"
#include "tools/page.h"
#include "tools/plots.h"
#include "tools/run_result.h"
#include "tools/verdicts.h"

namespace orbweaver::voice {
namespace {

using Speech = std::vector<std::int16_t>;

struct Options {
  std::string result, in, about, out, other, html;
  bool audio = true;
};

Speech codec_alone(const Speech& speech) {
  std::vector<Bit> bits;
  CvsdEncoder encoder;
  encoder.encode(speech, bits);
  encoder.flush(bits);
  Speech decoded;
  CvsdDecoder().decode(bits, decoded);
  return decoded;
}

/// The common time scale of the latency plots of all hops: the range of all latencies in full decades.
std::pair<double, double> latency_span(const RunResult& run) {
  double low = 1e9;
  double high = 1.0;
  for (const RunHop& hop : run.hops) {
    if (!hop.histogram.empty()) low = std::min(low, hop.histogram.front().le_us);
    high = std::max(high, hop.max_us);
  }
  low = std::pow(10.0, std::floor(std::log10(std::clamp(low, 0.01, high))));
  high = std::pow(10.0, std::ceil(std::log10(high)));
  return {low, std::max(high, 10 * low)};
}

/// The contents of a WAV file. Raw speech is converted too, so that the page can play it.
std::string wav_octets(const Speech& speech) {
  const auto u32 = [](std::size_t v) {
    std::string s;
    for (unsigned i = 0; i < 4; ++i) s += static_cast<char>(v >> (8 * i) & 0xFF);
    return s;
  };
  const std::size_t data = speech.size() * 2;
  std::string wav = "RIFF" + u32(36 + data) + "WAVEfmt " + u32(16) + std::string("\1\0\1\0", 4) +
                    u32(kSpeechRate) + u32(2 * kSpeechRate) + std::string("\2\0\20\0", 4) + "data" +
                    u32(data);
  for (const std::int16_t sample : speech) {
    wav += static_cast<char>(sample & 0xFF);
    wav += static_cast<char>(sample >> 8 & 0xFF);
  }
  return wav;
}

void write_page(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(path + ": cannot be written");
}

bool report(const Options& options) {
  const RunResult run = read_run_result(options.result);
  const Speech in = read_speech(options.in);
  const Speech out = read_speech(options.out);
  const Speech expected = codec_alone(in);
  std::optional<Speech> other;
  if (!options.other.empty()) other = read_speech(options.other);

  PageParts parts;
  Audio audio{in, out, expected, std::nullopt};
  if (other) audio.other = *other;
  parts.verdicts = judge(run, audio);
  for (const Verdict& verdict : parts.verdicts) {
    std::printf("%s %s (%s)\n", verdict.holds ? "yes" : "NO ", verdict.claim.c_str(),
                verdict.evidence.c_str());
  }

  std::vector<Drawing> drawings{waveform_plot(in, "#3b5b92"), spectrogram_plot(in),
                                waveform_plot(out, "#0f766e"), spectrogram_plot(out), zoom_plot(in, out)};
  const auto [low, high] = latency_span(run);
  for (const RunHop& hop : run.hops) drawings.push_back(latency_plot(hop, low, high));
  auto pictures = draw(drawings);
  parts.waveform_in = pictures[0];
  parts.spectrogram_in = pictures[1];
  parts.waveform_out = pictures[2];
  parts.spectrogram_out = pictures[3];
  parts.zoom = pictures[4];
  parts.latencies.assign(pictures.begin() + 5, pictures.end());

  parts.audio_seconds = static_cast<double>(in.size()) / kSpeechRate;
  parts.input_name = std::filesystem::path(options.in).filename().string();
  parts.input_about = options.about;
  parts.output_name = std::filesystem::path(options.out).filename().string();
  if (options.audio) {
    parts.audio_in_wav = wav_octets(in);
    parts.audio_out_wav = wav_octets(out);
  }
  write_page(options.html, page(run, parts));
  return all_hold(parts.verdicts);
}

}  // namespace
}  // namespace orbweaver::voice

int main(int argc, char** argv) {
  CLI::App app{"Checks a run of the voice waveform and writes a page about it"};
  orbweaver::voice::Options options;
  app.add_option("RESULT", options.result, "the file written by orbweaver run --json")->required();
  app.add_option("--in", options.in, "the input speech")->required();
  app.add_option("--about", options.about, "description of the input speech for the page");
  app.add_option("--out", options.out, "the output WAV")->required();
  app.add_option("--other", options.other, "the output WAV of another deployment, to compare");
  app.add_option("--html", options.html, "the page to write")->required();
  app.add_flag("!--no-audio", options.audio, "omit the recordings from the page (5 MB for two minutes)");
  CLI11_PARSE(app, argc, argv);
  try {
    return orbweaver::voice::report(options) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "voice-report: %s\n", error.what());
    return 2;
  }
}
