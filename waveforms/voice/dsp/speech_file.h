// Reads and writes speech files. Reads raw 8 kHz 16-bit little-endian (*.raw) and every format of libsndfile
// (WAV, FLAC, Ogg, …) at 8 kHz with one channel; writes WAV.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

struct sf_private_tag;  // SNDFILE of libsndfile

namespace orbweaver::voice {

/// The message names the file, the problem and its correction.
struct SpeechFileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct SndfileClose {
  void operator()(sf_private_tag* file) const noexcept;
};

/// Reads one speech file. Not thread-safe.
class SpeechReader {
 public:
  /// Throws SpeechFileError if the file is missing, not a sound file, empty, ends in half a sample, has more
  /// than one channel or another rate than 8 kHz.
  explicit SpeechReader(const std::string& path);

  /// Reads up to speech.size() samples. Returns the number read, 0 at the end of the file.
  std::size_t read(std::span<std::int16_t> speech);

  std::uint64_t samples() const { return samples_; }  ///< total number in the file

 private:
  std::unique_ptr<sf_private_tag, SndfileClose> file_;
  std::uint64_t samples_ = 0;
};

/// Writes a 16-bit WAV file at 8 kHz with one channel. Not thread-safe.
class SpeechWriter {
 public:
  /// Replaces the file. Throws SpeechFileError if it cannot be written.
  explicit SpeechWriter(const std::string& path);

  /// Throws SpeechFileError if writing fails, for example on a full disk.
  void write(std::span<const std::int16_t> speech);

  /// Completes the file. Throws SpeechFileError like write(). The destructor closes the file too but ignores
  /// errors.
  void close();

  std::uint64_t samples() const { return samples_; }  ///< written so far

 private:
  std::string path_;
  std::unique_ptr<sf_private_tag, SndfileClose> file_;
  std::uint64_t samples_ = 0;
};

/// Reads a whole file. Throws SpeechFileError.
std::vector<std::int16_t> read_speech(const std::string& path);

/// Writes a whole file. Throws SpeechFileError.
void write_speech(const std::string& path, std::span<const std::int16_t> speech);

}  // namespace orbweaver::voice
