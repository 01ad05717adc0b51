#include "sca/cf222/process_ends.h"

#include <gtest/gtest.h>

#include <chrono>

namespace orbweaver::sca {
namespace {

TEST(ProcessEnds, AreNotThoseOfLaterProcessesWithTheSameId) {
  ProcessEnds ends;
  const auto now = ProcessEnds::Clock::now();
  ends.add("gpp", 7, "killed by SIGSEGV", now);
  ends.started("other", 7, now + std::chrono::seconds(1));
  EXPECT_EQ(ends.find("gpp", 7), "killed by SIGSEGV");
  ends.started("gpp", 7, now - std::chrono::seconds(1));
  EXPECT_EQ(ends.find("gpp", 7), "killed by SIGSEGV") << "the event has arrived before execute() returns";
  ends.started("gpp", 7, now + std::chrono::seconds(1));
  EXPECT_EQ(ends.find("gpp", 7), "");
}

TEST(ProcessEnds, AreDescribedByAtMostAKibibyte) {
  ProcessEnds ends;
  std::string text(1023, 'x');
  for (int i = 0; i < 1000; ++i) text += "\u00e4";
  ends.add("gpp", 7, text);
  EXPECT_EQ(ends.find("gpp", 7), std::string(1023, 'x') + "\u2026") << "whole characters";
  ends.add("gpp", 8, std::string(1024, 'x'));
  EXPECT_EQ(ends.find("gpp", 8), std::string(1024, 'x'));
}

}  // namespace
}  // namespace orbweaver::sca
