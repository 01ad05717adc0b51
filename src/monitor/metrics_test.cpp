#include "monitor/metrics.h"

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include <orbweaver/sca/detail/latency_histogram.h>
#include "monitor/testing/fake_source.h"

namespace orbweaver::monitor {
namespace {

/// The samples of a text, by name and labels. Fails the test for a line that is not in the format.
std::map<std::string, double> samples_of(const std::string& text) {
  static const std::regex kSample(
      R"(([a-zA-Z_:][a-zA-Z0-9_:]*(\{[a-z_]+="([^"\\\n]|\\["\\n])*"(,[a-z_]+="([^"\\\n]|\\["\\n])*")*\})?) )"
      R"(([-+0-9.e]+|[-+]Inf|NaN))");
  std::map<std::string, double> samples;
  std::set<std::string> families;
  std::string family;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (line.rfind("# TYPE ", 0) == 0) {
      family = line.substr(7, line.find(' ', 7) - 7);
      EXPECT_TRUE(families.insert(family).second) << family << " is there twice";
    } else if (line.rfind("# HELP ", 0) != 0) {
      if (!std::regex_match(line, match, kSample)) {
        ADD_FAILURE() << "no sample: " << line;
        continue;
      }
      EXPECT_EQ(line.rfind(family, 0), 0u) << line << " is not of the family " << family;
      EXPECT_TRUE(samples.emplace(match[1], std::stod(match[6])).second) << line << " is there twice";
    }
  }
  EXPECT_EQ(text.back(), '\n');
  return samples;
}

TEST(Metrics, HaveTheFormatOfPrometheus) {
  testing::FakeSource source;
  const auto samples = samples_of(metrics_of(source.read(), {7, 1'500'000, 2, 3}));
  EXPECT_EQ(samples.at("orbweaver_domain_readable{domain=\"orbweaver\"}"), 1);
  EXPECT_EQ(samples.at("orbweaver_node_up{node=\"channel\",label=\"channel node\"}"), 1);
  EXPECT_EQ(samples.at("orbweaver_monitor_readings_total"), 7);
  EXPECT_EQ(samples.at("orbweaver_monitor_reading_seconds"), 0.0015);
  const std::string hop =
      "application=\"voice_1\",connection=\"modulator_1_to_channel_1:voice_1\","
      "from=\"modulator_1:voice_1.samples_out\",to=\"channel_1:voice_1.samples_in\"}";
  EXPECT_EQ(samples.at("orbweaver_connection_packets_total{" + hop), 25);
  EXPECT_EQ(samples.at("orbweaver_connection_queue_limit_packets{" + hop), 64);
  EXPECT_EQ(samples.count("orbweaver_component_cpu_seconds_total{application=\"voice_1\","
                          "component=\"channel_1:voice_1\",node=\"channel\"}"),
            1u);
}

TEST(Metrics, EscapeLabels) {
  Snapshot snapshot;
  snapshot.nodes.push_back({"a\"b\\c\nd\xff\x01\xc3\xa4", "", true, {}});
  const std::string text = metrics_of(snapshot, {});
  EXPECT_NE(text.find("node=\"a\\\"b\\\\c\\nd??\xc3\xa4\""), std::string::npos) << text;
  samples_of(text);
}

TEST(Metrics, HistogramsAreCumulative) {
  sca::LatencyHistogram latency;
  for (int i = 0; i < 10; ++i) latency.add(500);            // below 1.024 µs
  for (int i = 0; i < 5; ++i) latency.add(20'000'000'000);  // above the last bound
  Snapshot snapshot;
  Connection connection;
  connection.id = "c";
  connection.measured = true;
  connection.latency = latency.counts();
  snapshot.connections = {connection};
  const auto samples = samples_of(metrics_of(snapshot, {}));
  const std::string name = "orbweaver_connection_latency_seconds";
  const std::string labels = "{application=\"\",connection=\"c\",from=\".\",to=\".\"";
  EXPECT_EQ(samples.at(name + "_bucket" + labels + ",le=\"1.024e-06\"}"), 10);
  EXPECT_EQ(samples.at(name + "_bucket" + labels + ",le=\"+Inf\"}"), 15);
  EXPECT_EQ(samples.at(name + "_count" + labels + "}"), 15);
  EXPECT_NEAR(samples.at(name + "_sum" + labels + "}"), 100, 13);
  double before = 0;
  int buckets = 0;
  for (const auto& [sample, value] : samples) {
    if (sample.find("_bucket") == std::string::npos) continue;
    ++buckets;
    EXPECT_GE(value, 10);
    before += value;
  }
  EXPECT_EQ(buckets, 14);
}

TEST(Metrics, LeaveOutWhatIsNotKnown) {
  Snapshot snapshot;
  snapshot.components.emplace_back();
  snapshot.connections.emplace_back();
  const std::string text = metrics_of(snapshot, {});
  EXPECT_EQ(text.find("cpu_seconds_total{"), std::string::npos);
  EXPECT_EQ(text.find("packets_total{"), std::string::npos);
}

}  // namespace
}  // namespace orbweaver::monitor
