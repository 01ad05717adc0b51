#include "sca/deploy/component_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace orbweaver::sca {
namespace {

using ::testing::ElementsAre;

struct Shown {
  std::vector<std::string> lines;
  ComponentOutput output{[this](const std::string& line) { lines.push_back(line); }};
};

TEST(ComponentOutput, CountsBrokenConnections) {
  Shown shown;
  for (int i = 0; i < 50; ++i)
    shown.output.line(0, "fan_1", "connection 'c" + std::to_string(i) + "' is broken: OBJECT_NOT_EXIST");
  shown.output.line(1, "sink_1", "component sink_1 failed: the paper is torn");
  EXPECT_THAT(shown.lines, ElementsAre("[sink_1] component sink_1 failed: the paper is torn"));
  EXPECT_EQ(shown.output.summary(),
            "50 connections broke, first: [fan_1] connection 'c0' is broken: OBJECT_NOT_EXIST");
}

TEST(ComponentOutput, FindsTheCauseOfAFailure) {
  Shown shown;
  shown.output.line(1, "a+b", "component b cannot be created: the licence has run out");
  shown.output.line(1, "a+b", "component b failed: and again");
  EXPECT_EQ(shown.output.cause(1), "component b cannot be created: the licence has run out") << "the first";
  EXPECT_EQ(shown.output.cause(0), "");
}

TEST(ComponentOutput, CountsRepeatedLinesAfterAFailure) {
  Shown shown;
  shown.output.line(0, "a", "packet 12 of 'x' is late");
  shown.output.line(0, "a", "packet 13 of 'x' is late");
  shown.output.failed();
  shown.output.line(1, "b", "packet 7 of 'y' is late");
  shown.output.line(1, "b", "the disk is full");
  EXPECT_THAT(shown.lines, ElementsAre("[a] packet 12 of 'x' is late", "[a] packet 13 of 'x' is late",
                                       "[b] the disk is full"));
  EXPECT_EQ(shown.output.summary(), "1 more component lines like those above were omitted");
}

}  // namespace
}  // namespace orbweaver::sca
