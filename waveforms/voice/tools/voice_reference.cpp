// voice-reference IN OUT.wav: processes speech with the codec alone, without frames, radio and ORB. A
// lossless run of the waveform must give the same samples.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "dsp/cvsd.h"
#include "dsp/speech_file.h"

int main(int argc, char** argv) {
  using namespace orbweaver::voice;
  CLI::App app{
      "Speech through the CVSD codec alone: what a lossless run of the voice waveform must reproduce"};
  std::string in;
  std::string out;
  app.add_option("IN", in, "speech: 8 kHz raw 16-bit (*.raw), or WAV, FLAC, … at 8 kHz, one channel")
      ->required();
  app.add_option("OUT", out, "the WAV file to write")->required();
  CLI11_PARSE(app, argc, argv);

  try {
    const auto speech = read_speech(in);
    std::vector<Bit> bits;
    CvsdEncoder encoder;
    encoder.encode(speech, bits);
    encoder.flush(bits);
    std::vector<std::int16_t> decoded;
    CvsdDecoder().decode(bits, decoded);
    write_speech(out, decoded);
    std::printf("%s: %zu samples, %.2f s, as %zu codec bits\n", out.c_str(), decoded.size(),
                static_cast<double>(decoded.size()) / kSpeechRate, bits.size());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "voice-reference: %s\n", error.what());
    return 2;
  }
  return 0;
}
