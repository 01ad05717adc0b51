#include "dsp/speech_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "dsp/testing.h"

namespace orbweaver::voice::testing {
namespace {

using ::testing::HasSubstr;

class SpeechFile : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string("speech_") + test->name() + "." + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }

  std::string with_octets(const char* name, const std::string& octets) const {
    std::ofstream(path(name), std::ios::binary) << octets;
    return path(name);
  }

  static std::string refusal(const std::string& path) {
    try {
      read_speech(path);
    } catch (const SpeechFileError& error) {
      return error.what();
    }
    return "accepted";
  }

  std::filesystem::path folder_;
};

TEST_F(SpeechFile, RoundTripsWav) {
  const auto speech = speech_like_signal(12'345);
  write_speech(path("a.wav"), speech);
  EXPECT_EQ(read_speech(path("a.wav")), speech);
  EXPECT_EQ(std::filesystem::file_size(path("a.wav")), 44 + 2 * speech.size());
}

TEST_F(SpeechFile, ReadsRawSixteenBitLittleEndian) {
  const auto file = with_octets("a.raw", std::string("\x01\x00\xFF\xFF\x00\x80", 6));
  EXPECT_THAT(read_speech(file), ::testing::ElementsAre(1, -1, -32768));
}

TEST_F(SpeechFile, NamesAMissingSpeechFile) {
  EXPECT_THAT(refusal("/no/such.raw"),
              AllOf(HasSubstr("/no/such.raw: no such file"), HasSubstr("waveforms/voice/speech")));
}

TEST_F(SpeechFile, RejectsAFolder) { EXPECT_THAT(refusal(folder_.string()), HasSubstr("not a file")); }

TEST_F(SpeechFile, RejectsHalfASample) {
  EXPECT_THAT(refusal(with_octets("a.raw", "abc")), HasSubstr("half a sample"));
}

TEST_F(SpeechFile, RejectsAnEmptyFile) {
  EXPECT_THAT(refusal(with_octets("a.raw", "")), HasSubstr("holds no samples"));
}

TEST_F(SpeechFile, RejectsAnUnknownFormat) {
  EXPECT_THAT(refusal(with_octets("a.wav", "this is not a WAV file")), HasSubstr("cannot be read as sound"));
}

TEST_F(SpeechFile, RejectsATruncatedHeader) {
  write_speech(path("whole.wav"), speech_like_signal(100));
  std::ifstream in(path("whole.wav"), std::ios::binary);
  std::string head(30, '\0');
  in.read(head.data(), 30);
  EXPECT_NE(refusal(with_octets("a.wav", head)), "accepted");
}

TEST_F(SpeechFile, RejectsAnotherRate) {
  write_speech(path("whole.wav"), speech_like_signal(100));
  std::fstream file(path("whole.wav"), std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(24);  // the rate in a WAV header, little-endian
  file.write("\x44\xAC\x00\x00", 4);
  file.close();
  EXPECT_THAT(refusal(path("whole.wav")), AllOf(HasSubstr("44100 Hz"), HasSubstr("resample")));
}

TEST_F(SpeechFile, NamesAnUnwritableFile) {
  EXPECT_THROW(write_speech("/no/such/folder/a.wav", speech_like_signal(10)), SpeechFileError);
}

TEST_F(SpeechFile, RejectsWritesAfterClose) {
  SpeechWriter writer(path("a.wav"));
  writer.write(speech_like_signal(10));
  writer.close();
  EXPECT_THROW(writer.write(speech_like_signal(10)), SpeechFileError);
}

}  // namespace
}  // namespace orbweaver::voice::testing
