#include "sca/monitor/log_lines.h"

#include <gtest/gtest.h>

namespace orbweaver::sca {
namespace {

services::LogEntry record(std::uint16_t level, const std::string& data = "text") {
  return {7, 1'700'000'000'123'456'789, "DCE:gpp", "gpp_1", level, data};
}

TEST(LogLine, HasTimeLevelAndProducerOfItsRecord) {
  const monitor::LogLine line = line_of(record(2, "cannot load"));
  EXPECT_EQ(line.number, 7u);
  EXPECT_EQ(line.unix_ms, 1'700'000'000'123);
  EXPECT_EQ(line.level + " " + line.level_name, "error FAILURE_ALARM");
  EXPECT_EQ(line.source + " " + line.source_id, "gpp_1 DCE:gpp");
  EXPECT_EQ(line.text, "cannot load");
}

TEST(LogLine, HasASeverityForEachLevel) {
  const auto level = [](std::uint16_t number) {
    const monitor::LogLine line = line_of(record(number));
    return line.level + " " + line.level_name;
  };
  EXPECT_EQ(level(1), "error SECURITY_ALARM");
  EXPECT_EQ(level(3), "warning DEGRADED_ALARM");
  EXPECT_EQ(level(7), "error USAGE_ERROR");
  EXPECT_EQ(level(8), "info ADMINISTRATIVE_EVENT");
  EXPECT_EQ(level(9), "info STATISTIC_REPORT");
  EXPECT_EQ(level(10), "debug DEBUG 10");
  EXPECT_EQ(level(26), "debug DEBUG 26");
  EXPECT_EQ(level(0), "info LEVEL 0");
  EXPECT_EQ(level(27), "info LEVEL 27");
}

TEST(LogLine, IsLimited) {
  services::LogEntry large = record(8, std::string(100'000, 'x'));
  large.producer_id = large.producer_name = large.data;
  const monitor::LogLine line = line_of(large);
  EXPECT_LE(line.text.size(), kMostLineBytes + 50);
  EXPECT_LE(line.source.size(), kMostProducerBytes + 50);
  EXPECT_LE(line.source_id.size(), kMostProducerBytes + 50);
  large.data = std::string(kMostLineBytes - 1, 'x') + "\xe2\x82\xac and more";
  const std::string cut = line_of(large).text;
  EXPECT_EQ(cut, std::string(kMostLineBytes - 1, 'x') + "…");
  large.data.resize(kMostReadBytes);
  EXPECT_EQ(line_of(large).text, cut) << "what is read is enough";
}

}  // namespace
}  // namespace orbweaver::sca
