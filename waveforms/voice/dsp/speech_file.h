// Speech from and to files. Reads raw 8 kHz 16-bit little-endian (*.raw) and whatever libsndfile reads
// (WAV, FLAC, Ogg, …) at 8 kHz in one channel; writes WAV.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

struct sf_private_tag;  // libsndfile's SNDFILE

namespace orbweaver::voice {

/// Names the file, what is wrong with it and what to do.
struct SpeechFileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct SndfileClose {
  void operator()(sf_private_tag* file) const noexcept;
};

/// One thread at a time.
class SpeechReader {
 public:
  /// Throws SpeechFileError if the file is missing, is not sound, is empty, holds half a sample, has more
  /// than one channel or another rate than 8 kHz.
  explicit SpeechReader(const std::string& path);

  /// Fills as much of `speech` as the file still holds; returns how many samples, 0 at its end.
  std::size_t read(std::span<std::int16_t> speech);

  std::uint64_t samples() const { return samples_; }  ///< in the whole file

 private:
  std::unique_ptr<sf_private_tag, SndfileClose> file_;
  std::uint64_t samples_ = 0;
};

/// Writes 16-bit WAV at 8 kHz, one channel. One thread at a time.
class SpeechWriter {
 public:
  /// Replaces the file. Throws SpeechFileError if it cannot be written.
  explicit SpeechWriter(const std::string& path);

  /// Throws SpeechFileError if the disk is full or gone.
  void write(std::span<const std::int16_t> speech);

  /// Makes the file complete. Throws SpeechFileError like write. The destructor closes too, but silently.
  void close();

  std::uint64_t samples() const { return samples_; }  ///< written so far

 private:
  std::string path_;
  std::unique_ptr<sf_private_tag, SndfileClose> file_;
  std::uint64_t samples_ = 0;
};

/// The whole file. Throws SpeechFileError.
std::vector<std::int16_t> read_speech(const std::string& path);

/// The whole file. Throws SpeechFileError.
void write_speech(const std::string& path, std::span<const std::int16_t> speech);

}  // namespace orbweaver::voice
