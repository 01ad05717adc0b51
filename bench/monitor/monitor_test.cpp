#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/deployment/measured_domain.h"
#include "bench/harness/child.h"
#include "command.h"
#include "event_streams.h"
#include "watched_pipeline.h"

namespace orbweaver::bench {
namespace {

using ::testing::Each;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(WatchedPipeline, HasValidProfiles) {
  const ScratchFolder folder;
  write_pipeline(folder.path(), 3);
  Child check(ORBWEAVER_COMMAND, {"check", folder.path() + "/pipeline.sad.xml"});
  std::string output;
  while (const auto line = check.read_line(std::chrono::seconds(120))) output += *line + "\n";
  EXPECT_EQ(check.wait(std::chrono::seconds(120)), 0) << output;
}

#ifdef ORBWEAVER_BENCH_HAS_MONITOR
TEST(MonitorCommand, MeasuresAPipelineWithAndWithoutBrowsers) {
  std::ostringstream out, err;
  ASSERT_EQ(run_monitor_command({3, 2, 300, 2}, ORBWEAVER_COMMAND, "-", out, err), 0) << err.str();
  const auto rows = nlohmann::json::parse(out.str());
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0]["browsers"], 2);
  for (const char* const figure : {"packets_per_s", "watched_packets_per_s", "ratio", "ratio_of_unwatched"}) {
    EXPECT_THAT(rows[0][figure].get<std::vector<double>>(), SizeIs(2));
    EXPECT_THAT(rows[0][figure].get<std::vector<double>>(), Each(Gt(0))) << figure;
  }
  EXPECT_THAT(err.str(), HasSubstr("time of a packet, watched to not watched"));
}
#endif

TEST(MonitorCommand, RejectsAnInvalidPlan) {
  std::ostringstream out, err;
  EXPECT_EQ(run_monitor_command({1, 10, 2000, 10}, ORBWEAVER_COMMAND, "", out, err), 2);
  EXPECT_EQ(err.str(), "bench monitor: --components: from 2 to 200\n");
}

TEST(EventStreams, SayThatThereIsNoMonitor) {
  EXPECT_THROW(EventStreams("", 1), std::runtime_error);
  EXPECT_THROW(EventStreams("http://127.0.0.1:1", 1), std::runtime_error);
}

}  // namespace
}  // namespace orbweaver::bench
