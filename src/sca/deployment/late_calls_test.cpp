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
using ::testing::HasSubstr;
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
                              [](std::int32_t) {}, "late"}),
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
                                             [&](std::int32_t result) { undone = result == 7; }, "test"}),
               CORBA::TIMEOUT);
  EXPECT_THAT(wait_for_late_calls(milliseconds(1)), Contains("load() of device test"));
  answer.set_value();
  EXPECT_THAT(wait_for_late_calls(std::chrono::minutes(2)), Not(Contains("load() of device test")));
  EXPECT_TRUE(undone);
}

TEST(LateCalls, OfOneDeviceDoNotStopTheCallsOfOthers) {
  using std::chrono::milliseconds;
  std::promise<void> answer;
  const auto answered = answer.get_future().share();
  const auto call = [&](const std::string& device) {
    call_within(milliseconds(device == "hangs" ? 1 : 120'000), {"app hangs", "execute() of device " + device,
                                                                [&, device, answered] {
                                                                  if (device == "hangs") answered.wait();
                                                                  return 0;
                                                                },
                                                                [](std::int32_t) {}, device});
  };
  for (int i = 0; i < 16; ++i) EXPECT_THROW(call("hangs"), CORBA::TIMEOUT);
  try {
    call("hangs");
    ADD_FAILURE() << "it is called again";
  } catch (const CORBA::NO_RESOURCES& e) {
    EXPECT_THAT(e.detail(), HasSubstr("16 calls of the device have not been answered"));
  }
  EXPECT_NO_THROW(call("answers"));
  answer.set_value();
  EXPECT_THAT(wait_for_late_calls(std::chrono::minutes(2)), Not(Contains("execute() of device hangs")));
  static_cast<void>(late_orders_of("app hangs"));
}

}  // namespace
}  // namespace orbweaver::sca
