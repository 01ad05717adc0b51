#include "histogram.h"

#include <gmock/gmock.h>

#include <sstream>

namespace orbweaver::bench {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pair;

TEST(LogHistogram, HasBinsOfEqualRatio) {
  LogHistogram histogram, other;
  histogram.add(10.5);
  histogram.add(10.9);
  other.add(13);
  histogram.add(other);
  const auto bins = histogram.bins();
  ASSERT_EQ(bins.size(), 3u);
  EXPECT_THAT(bins, ElementsAre(Pair(DoubleNear(10, 1e-6), 2), Pair(::testing::_, 0),
                                Pair(DoubleNear(12.589, 1e-3), 1)));
  EXPECT_TRUE(LogHistogram().bins().empty());
}

TEST(LogHistogram, CountsTimesBeyondItsBins) {
  LogHistogram histogram;
  histogram.add(0);
  histogram.add(1e12);
  EXPECT_EQ(histogram.bins().front().second, 1u);
  EXPECT_EQ(histogram.bins().back().second, 1u);
}

TEST(LogHistogram, SurvivesItsText) {
  LogHistogram histogram, read;
  for (const double us : {0.3, 0.3, 7.0, 1e12}) histogram.add(us);
  std::stringstream text;
  text << histogram << " next";
  std::string next;
  EXPECT_TRUE(text >> read >> next);
  EXPECT_EQ(read, histogram);
  EXPECT_EQ(next, "next");
}

TEST(LogHistogram, RejectsAMalformedText) {
  for (const char* text : {"", "1:2", "1;2 .", "180:1 .", "one:2 .", "1: ."}) {
    std::istringstream in(text);
    LogHistogram histogram;
    EXPECT_FALSE(in >> histogram) << text;
  }
}

}  // namespace
}  // namespace orbweaver::bench
