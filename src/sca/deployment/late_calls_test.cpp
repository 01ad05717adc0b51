#include "sca/deployment/late_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>

#include "platform/testing/becomes_true.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using ::testing::Contains;
using ::testing::Not;

TEST(LateCalls, TellWhenThoseOfAnApplicationAreSettled) {
  EXPECT_EQ(late_orders_of("app late"), LateOrders::unknown);
  for (const bool is_answered : {true, false}) {
    std::promise<void> answer;
    EXPECT_THROW(call_within(std::chrono::milliseconds(1),
                             {"app late", "load() of device late",
                              [&] {
                                answer.get_future().wait();
                                if (!is_answered)
                                  throw CORBA::COMM_FAILURE(0, CORBA::CompletionStatus::COMPLETED_MAYBE);
                                return 0;
                              },
                              [](std::int32_t) {}}),
                 CORBA::TIMEOUT);
    EXPECT_EQ(late_orders_of("app late"), LateOrders::pending);
    answer.set_value();
    LateOrders last = LateOrders::pending;
    EXPECT_TRUE(becomes_true([&] { return (last = late_orders_of("app late")) != LateOrders::pending; }));
    EXPECT_EQ(last, is_answered ? LateOrders::settled : LateOrders::unknown);
  }
}

TEST(LateCalls, AreAwaitedForALimitedTime) {
  using std::chrono::milliseconds;
  std::promise<void> answer;
  std::atomic<bool> undone{false};
  EXPECT_THROW(call_within(milliseconds(1), {"app", "load() of device test",
                                             [&] {
                                               answer.get_future().wait();
                                               return 7;
                                             },
                                             [&](std::int32_t result) { undone = result == 7; }}),
               CORBA::TIMEOUT);
  EXPECT_THAT(wait_for_late_calls(milliseconds(1)), Contains("load() of device test"));
  answer.set_value();
  EXPECT_THAT(wait_for_late_calls(std::chrono::minutes(2)), Not(Contains("load() of device test")));
  EXPECT_TRUE(undone);
}

}  // namespace
}  // namespace orbweaver::sca
