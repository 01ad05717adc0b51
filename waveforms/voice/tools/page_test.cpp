#include "tools/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tools/plots.h"
#include "tools/spectrogram.h"
#include "tools/testing.h"

namespace orbweaver::voice::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string page_of(const RunResult& run) {
  PageParts parts;
  parts.verdicts = {{true, "It holds", "by 3 < 4"}};
  parts.input_name = "speech.raw";
  parts.input_about = "spoken by <a machine>";
  parts.latencies.assign(run.hops.size(), "<svg/>");
  return page(run, parts);
}

TEST(Page, ShowsEveryComponentAndHop) {
  const std::string html = page_of(parse_run_result(kResult, "result.json"));
  for (const char* expected : {"Voice", "Source", "Deframer", "source_1.out", "deframer_1.in", "shm",
                               "2 processes", "by 3 &lt; 4", "160,000", "3.0 µs", "2 / 64"}) {
    EXPECT_THAT(html, HasSubstr(expected));
  }
}

TEST(Page, DescribesTheSpeech) {
  const std::string html = page_of(parse_run_result(kResult, "result.json"));
  EXPECT_THAT(html, HasSubstr("in: speech.raw <span>spoken by &lt;a machine&gt;</span>"));
}

TEST(Page, IsSelfContained) {
  const std::string html = page_of(parse_run_result(kResult, "result.json"));
  for (const char* reach : {"http://", "https://", "<script", "<link", "@import", "{{"}) {
    EXPECT_THAT(html, Not(HasSubstr(reach)));
  }
}

TEST(Page, EscapesNames) {
  RunResult run = parse_run_result(kResult, "result.json");
  run.assembly = "<script>alert(1)</script>";
  run.components[0].name = "\"><img src=x>";
  run.hops[0].from = "</td>&";
  const std::string html = page_of(run);
  EXPECT_THAT(html, Not(HasSubstr("<script>")));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, HasSubstr("&lt;/td&gt;&amp;"));
}

TEST(Page, ShowsAFailedCheckAtTheTop) {
  PageParts parts;
  parts.verdicts = {{true, "a", ""}, {false, "b", ""}};
  EXPECT_THAT(page(parse_run_result(kResult, "r"), parts), HasSubstr("a claim does not hold"));
}

TEST(Template, FillsEveryNameAndRejectsUnknownOnes) {
  EXPECT_EQ(fill_template("{{a}}+{{b}}{{a}}", {{"a", "1"}, {"b", "{{a}}"}}), "1+{{a}}1");
  EXPECT_THROW(fill_template("{{c}}", {}), std::logic_error);
}

TEST(Base64, MatchesRfc4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

std::vector<std::int16_t> tone(double hertz, std::size_t samples) {
  std::vector<std::int16_t> speech(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    speech[i] = static_cast<std::int16_t>(32767 * std::sin(2 * M_PI * hertz * static_cast<double>(i) / 8000));
  }
  return speech;
}

TEST(Spectrogram, MapsAToneToItsRowAtZeroDecibel) {
  const Spectrogram picture = spectrogram(tone(1000, 16'000), 50);
  EXPECT_EQ(picture.columns, 50U);
  EXPECT_EQ(picture.rows, 129U);
  EXPECT_NEAR(picture.at(25, 32), 0.0, 0.1);
  EXPECT_LT(picture.at(25, 64), -60.0);
}

TEST(Spectrogram, HasFewerColumnsForShortSpeech) {
  EXPECT_EQ(spectrogram({}, 50).columns, 0U);
  EXPECT_EQ(spectrogram(tone(1000, 1), 50).columns, 1U);
}

TEST(Plots, AreDrawnForAnyLength) {
  RunHop hop = parse_run_result(kResult, "r").hops[0];
  RunHop silent;
  for (const std::size_t samples : {1, 100, 5'000}) {
    const auto speech = tone(440, samples);
    std::vector<std::string> pictures;
    try {
      pictures = draw({waveform_plot(speech, "#000000"), spectrogram_plot(speech), zoom_plot(speech, speech),
                       latency_plot(hop, 1, 100), latency_plot(silent, 1, 100)});
    } catch (const GnuplotError& error) {
      ASSERT_THAT(error.what(), HasSubstr("not found")) << "a script is wrong";
      GTEST_SKIP() << "gnuplot is not installed";
    }
    EXPECT_EQ(pictures.size(), 5U);
    for (const std::string& picture : pictures) EXPECT_THAT(picture, ::testing::StartsWith("<svg"));
  }
}

TEST(Plots, ReportAGnuplotError) { EXPECT_THROW(draw({{100, 100, "plot nonsense("}}), GnuplotError); }

}  // namespace
}  // namespace orbweaver::voice::testing
