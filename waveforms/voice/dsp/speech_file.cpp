#include "dsp/speech_file.h"

#include <sndfile.h>

#include <filesystem>

#include "dsp/rates.h"

namespace orbweaver::voice {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw SpeechFileError(path + ": " + what);
}

bool is_raw(const std::string& path) { return path.ends_with(".raw") || path.ends_with(".s16"); }

}  // namespace

void SndfileClose::operator()(sf_private_tag* file) const noexcept { sf_close(file); }

SpeechReader::SpeechReader(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    fail(path, "no such file; waveforms/voice/speech finds or makes one (Debian: codec2-examples or flite)");
  }
  if (!std::filesystem::is_regular_file(status)) fail(path, "not a file");

  SF_INFO info{};
  if (is_raw(path)) {
    if (std::filesystem::file_size(path, error) % 2 != 0) {
      fail(path, "ends in half a sample; raw speech is 16-bit little-endian at 8 kHz");
    }
    info.samplerate = kSpeechRate;
    info.channels = 1;
    info.format = SF_FORMAT_RAW | SF_FORMAT_PCM_16 | SF_ENDIAN_LITTLE;
  }
  file_.reset(sf_open(path.c_str(), SFM_READ, &info));
  if (!file_) {
    fail(path, std::string("cannot be read as sound: ") + sf_strerror(nullptr) +
                   "; give raw 16-bit speech (*.raw) or a WAV file");
  }
  if (info.channels != 1) {
    fail(path, "has " + std::to_string(info.channels) + " channels; mix it down to one");
  }
  if (info.samplerate != static_cast<int>(kSpeechRate)) {
    fail(path, "runs at " + std::to_string(info.samplerate) + " Hz; resample it to 8000 Hz");
  }
  if (info.frames <= 0) fail(path, "holds no samples");
  samples_ = static_cast<std::uint64_t>(info.frames);
}

std::size_t SpeechReader::read(std::span<std::int16_t> speech) {
  const sf_count_t got = sf_read_short(file_.get(), speech.data(), static_cast<sf_count_t>(speech.size()));
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

SpeechWriter::SpeechWriter(const std::string& path) : path_(path) {
  SF_INFO info{};
  info.samplerate = kSpeechRate;
  info.channels = 1;
  info.format = SF_FORMAT_WAV | SF_FORMAT_PCM_16;
  file_.reset(sf_open(path.c_str(), SFM_WRITE, &info));
  if (!file_) fail(path, std::string("cannot be written: ") + sf_strerror(nullptr));
}

void SpeechWriter::write(std::span<const std::int16_t> speech) {
  const auto count = static_cast<sf_count_t>(speech.size());
  if (!file_) fail(path_, "is closed");
  if (sf_write_short(file_.get(), speech.data(), count) != count) {
    fail(path_, std::string("cannot be written: ") + sf_strerror(file_.get()));
  }
  samples_ += speech.size();
}

void SpeechWriter::close() {
  if (file_ && sf_close(file_.release()) != 0) fail(path_, "cannot be completed; is the disk full?");
}

std::vector<std::int16_t> read_speech(const std::string& path) {
  SpeechReader reader(path);
  std::vector<std::int16_t> speech;
  std::int16_t part[4096];
  while (const std::size_t got = reader.read(part)) speech.insert(speech.end(), part, part + got);
  return speech;
}

void write_speech(const std::string& path, std::span<const std::int16_t> speech) {
  SpeechWriter writer(path);
  writer.write(speech);
  writer.close();
}

}  // namespace orbweaver::voice
