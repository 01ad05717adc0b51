#include "sca/cf222/redeployments.h"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>

#include "platform/testing/becomes_true.h"
#include "platform/testing/thread_observer.h"
#include "sca/files/testing/served_folder.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using platform::testing::other_threads_sleep;
using Outcome = Redeployments::Outcome;

struct RedeploymentsTest : ::testing::Test {
  testing::TestOrb orb;
  DomainLog log{orb.poa, "domain"};
  std::counting_semaphore<> called{0};
};

TEST_F(RedeploymentsTest, WaitForTheirBegin) {
  std::atomic<bool> has_begun = false;
  Redeployments redeployments(log, [&](const std::string& application) {
    EXPECT_TRUE(has_begun) << application;
    called.release();
    return Outcome();
  });
  redeployments.add("a");
  redeployments.add("b");
  EXPECT_TRUE(becomes_true([] { return other_threads_sleep(); }));  // nothing else happens
  has_begun = true;
  redeployments.begin();
  called.acquire();
  called.acquire();
  redeployments.add("c");
  called.acquire();
}

TEST_F(RedeploymentsTest, AreTriedAgainAfterThePause) {
  int calls = 0;
  Redeployments redeployments(log, [&](const std::string&) {
    called.release();
    return Outcome{std::chrono::milliseconds(++calls < 3 ? 1 : 0), {}};
  });
  redeployments.begin();
  redeployments.add("a");
  for (int i = 0; i < 3; ++i) called.acquire();
  redeployments.end();
  EXPECT_EQ(calls, 3);
}

TEST_F(RedeploymentsTest, DoNotDelayOthersDuringAPause) {
  Redeployments redeployments(log, [&](const std::string& application) {
    called.release();
    return application == "a" ? Outcome{std::chrono::hours(1), {}} : Outcome();
  });
  redeployments.begin();
  redeployments.add("a");
  called.acquire();
  redeployments.add("b");
  called.acquire();
  redeployments.end();  // during the pause
}

TEST_F(RedeploymentsTest, DoNotDelayOthersDuringACall) {
  std::counting_semaphore<> answer{0};
  std::atomic<int> of_b = 0;
  Redeployments redeployments(log, [&](const std::string& application) {
    if (application == "b") ++of_b;
    called.release();
    if (application == "a") answer.acquire();  // its device hangs
    return Outcome();
  });
  redeployments.begin();
  redeployments.add("a");
  called.acquire();
  redeployments.add("b");
  EXPECT_TRUE(becomes_true([&] { return of_b == 1; }));
  redeployments.add("a");  // is called again after its end
  answer.release(2);
  called.acquire();
  called.acquire();
}

TEST_F(RedeploymentsTest, AreLimitedInNumber) {
  std::counting_semaphore<> answer{0};
  std::atomic<std::size_t> calls = 0;
  Redeployments redeployments(log, [&](const std::string&) {
    ++calls;
    answer.acquire();
    return Outcome();
  });
  redeployments.begin();
  constexpr std::size_t kMost = Redeployments::kMostAtATime;
  for (std::size_t i = 0; i < 2 * kMost; ++i) redeployments.add(std::to_string(i));
  EXPECT_TRUE(becomes_true([&] { return calls == kMost && other_threads_sleep(); }));
  EXPECT_EQ(calls, kMost);
  answer.release(2 * kMost);
  EXPECT_TRUE(becomes_true([&] { return calls == 2 * kMost; }));
}

TEST_F(RedeploymentsTest, RepeatAloneWhatFailedBesideOthers) {
  constexpr std::size_t kMost = Redeployments::kMostAtATime;
  std::atomic<std::size_t> calls = 0, inside = 0, repeated = 0;
  Redeployments redeployments(log, [&](const std::string& application) -> Outcome {
    ++inside;
    const bool is_first = calls++ < kMost;
    if (is_first) {
      EXPECT_TRUE(becomes_true([&] { return calls >= kMost; }));
    } else {
      EXPECT_EQ(application.back(), '+') << "its new id";
      EXPECT_EQ(inside, 1u);
      ++repeated;
    }
    --inside;
    return {{}, is_first ? application + "+" : std::string()};
  });
  for (std::size_t i = 0; i < kMost; ++i) redeployments.add(std::to_string(i));
  redeployments.begin();
  EXPECT_TRUE(becomes_true([&] { return repeated == kMost; }));
  redeployments.end();
  EXPECT_EQ(calls, 2 * kMost);
}

TEST_F(RedeploymentsTest, RepeatNothingThatFailedAlone) {
  std::atomic<int> calls = 0;
  Redeployments redeployments(log, [&](const std::string& application) {
    ++calls;
    return Outcome{{}, application};
  });
  redeployments.begin();
  redeployments.add("a");
  EXPECT_TRUE(becomes_true([&] { return calls == 1 && other_threads_sleep(); }));
  redeployments.end();
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace orbweaver::sca
