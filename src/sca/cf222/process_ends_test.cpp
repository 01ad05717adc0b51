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

}  // namespace
}  // namespace orbweaver::sca
