// Runs both assemblies as a user does: installed profiles, separate processes, `orbweaver run`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "dsp/speech_file.h"
#include "dsp/testing.h"
#include "tools/run_result.h"
#include "tools/verdicts.h"

namespace orbweaver::voice::testing {
namespace {

using ::testing::HasSubstr;

class VoiceRun : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string("voice_run_") + test->name() + "." + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    write_speech(path("in.wav"), speech_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string said() const {
    std::ifstream file(path("said"));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// Runs an assembly on in.wav. Writes the output to NAME.wav and the result to NAME.json. Returns the exit
  /// status.
  int run(const std::string& assembly, const std::string& name, const std::string& more = "") const {
    return command(std::string(ORBWEAVER_PROGRAM) + " run " + VOICE_BUILT + "/" + assembly +
                   " --set source_1.file=" + path("in.wav") + " --set sink_1.file=" + path(name + ".wav") +
                   " --json " + path(name + ".json") + " " + more);
  }

  int command(const std::string& line) const {
    const int status = std::system((line + " >'" + path("said") + "' 2>&1").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  const std::vector<std::int16_t> speech_ = speech_like_signal(5 * kSpeechRate + 3);
  std::filesystem::path folder_;
};

std::size_t processes(const RunResult& run) {
  std::set<std::int64_t> pids;
  for (const RunComponent& component : run.components) pids.insert(component.pid);
  return pids.size();
}

/// The counts of a run: packets and bytes of each hop, and the counters of each component.
std::string counts(const RunResult& run) {
  std::string text;
  for (const RunHop& hop : run.hops) {
    text += hop.from + " " + hop.to + " " + std::to_string(hop.packets) + " " + std::to_string(hop.lost) +
            " " + std::to_string(hop.reordered) + "\n";
  }
  for (const RunComponent& component : run.components) {
    for (const auto& [name, value] : component.stats)
      text += component.id + " " + name + " " + std::to_string(value) + "\n";
  }
  return text;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(VoiceRun, ReproducesTheCodecOutputInEveryDeployment) {
  ASSERT_EQ(run("voice.sad.xml", "apart"), 0) << said();
  ASSERT_EQ(run("voice-one-process.sad.xml", "together"), 0) << said();
  ASSERT_EQ(run("voice-mixed.sad.xml", "mixed"), 0) << said();
  const RunResult apart = read_run_result(path("apart.json"));
  const RunResult together = read_run_result(path("together.json"));
  const RunResult mixed = read_run_result(path("mixed.json"));
  EXPECT_EQ(processes(apart), 9U);
  EXPECT_EQ(processes(together), 1U);
  EXPECT_EQ(processes(mixed), 3U);

  const auto expected = decoded(encoded(speech_));
  const auto heard_apart = read_speech(path("apart.wav"));
  const auto heard_together = read_speech(path("together.wav"));
  for (const RunResult& run : {apart, together, mixed}) {
    for (const Verdict& verdict : judge(run, {speech_, heard_apart, expected, heard_together})) {
      EXPECT_TRUE(verdict.holds) << verdict.claim << ": " << verdict.evidence;
    }
  }
  for (const RunHop& hop : apart.hops) EXPECT_EQ(hop.transport, "shm") << hop.from;
  EXPECT_EQ(counts(together), counts(apart));
  EXPECT_EQ(counts(mixed), counts(apart));
  EXPECT_TRUE(bytes_of(path("together.wav")) == bytes_of(path("apart.wav")));
  EXPECT_TRUE(bytes_of(path("mixed.wav")) == bytes_of(path("apart.wav")));
}

TEST_F(VoiceRun, ReproducesTheCodecOutputInADomain) {
  ASSERT_EQ(run("voice.sad.xml", "apart", "--domain"), 0) << said();
  ASSERT_EQ(run("voice-one-process.sad.xml", "together", "--domain"), 0) << said();
  const RunResult apart = read_run_result(path("apart.json"));
  const RunResult together = read_run_result(path("together.json"));
  EXPECT_EQ(processes(apart), 9U);
  EXPECT_EQ(processes(together), 1U);
  const auto heard = read_speech(path("apart.wav")), heard_together = read_speech(path("together.wav"));
  for (const RunResult& run : {apart, together}) {
    for (const Verdict& verdict : judge(run, {speech_, heard, decoded(encoded(speech_)), heard_together})) {
      EXPECT_TRUE(verdict.holds) << verdict.claim << ": " << verdict.evidence;
    }
  }
  EXPECT_EQ(counts(together), counts(apart));
}

TEST_F(VoiceRun, ReproducesTheCodecOutputOnThreeNodes) {
  const std::string script = "SPEECH=" + path("in.wav") + " " + VOICE_SOURCE + "/three-nodes/run " +
                             ORBWEAVER_BUILD + " " + folder_.string();
  ASSERT_EQ(command(script), 0) << said();
  const RunResult result = read_run_result(path("three-nodes.json"));
  const auto heard = read_speech(path("three-nodes.wav"));
  for (const Verdict& verdict : judge(result, {speech_, heard, decoded(encoded(speech_)), heard})) {
    EXPECT_TRUE(verdict.holds) << verdict.claim << ": " << verdict.evidence;
  }
  std::set<std::string> nodes;
  for (const RunComponent& component : result.components)
    nodes.insert(component.placement.substr(component.placement.find(" on ")));
  EXPECT_THAT(nodes, ::testing::ElementsAre(" on channel", " on receiver", " on transmitter"));
}

TEST_F(VoiceRun, WritesAPassingReport) {
  ASSERT_EQ(run("voice.sad.xml", "apart"), 0) << said();
  const std::string report = std::string(VOICE_REPORT) + " " + path("apart.json") + " --in " +
                             path("in.wav") + " --out " + path("apart.wav") + " --html " + path("page.html");
  EXPECT_EQ(command(report), 0) << said();
  EXPECT_GT(std::filesystem::file_size(path("page.html")), 100'000U);
}

TEST_F(VoiceRun, WritesAFailingReportForHeavyNoise) {
  ASSERT_EQ(run("voice.sad.xml", "noisy", "--set channel_1.es_n0_db=8"), 0) << said();
  EXPECT_GT(read_run_result(path("noisy.json")).stat("frames_bad"), 0);
  const std::string report = std::string(VOICE_REPORT) + " " + path("noisy.json") + " --in " +
                             path("in.wav") + " --out " + path("noisy.wav") + " --html " + path("page.html");
  EXPECT_EQ(command(report), 1) << said();
}

TEST_F(VoiceRun, FailsNamingAMissingSpeechFile) {
  EXPECT_NE(run("voice.sad.xml", "none", "--set source_1.file=" + path("none.raw")), 0);
  EXPECT_THAT(said(), AllOf(HasSubstr("source_1"), HasSubstr("none.raw: no such file")));
}

TEST_F(VoiceRun, RejectsAPropertyOutOfRange) {
  EXPECT_NE(run("voice.sad.xml", "none", "--set channel_1.es_n0_db=1000"), 0);
  EXPECT_THAT(said(), HasSubstr("es_n0_db"));
  EXPECT_FALSE(std::filesystem::exists(path("none.wav")));
}

}  // namespace
}  // namespace orbweaver::voice::testing
