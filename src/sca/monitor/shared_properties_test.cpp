#include "sca/monitor/shared_properties.h"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>
#include <stdexcept>
#include <thread>

#include "platform/testing/becomes_true.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using Outcome = SharedProperties::Outcome;

Outcome property(const std::string& id) {
  std::vector<monitor::Property> properties(1);
  properties[0].id = id;
  return properties;
}

std::string id_of(const SharedProperties::OutcomeRef& outcome) { return (**outcome)[0].id; }

TEST(SharedProperties, AreReadOnceForAllReaders) {
  SharedProperties shared(std::chrono::hours(1));
  std::atomic<int> readings = 0, readers = 0;
  std::counting_semaphore<> answer{0};
  const auto read = [&] {
    ++readings;
    answer.acquire();
    return property("gain");
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] {
        ++readers;
        EXPECT_EQ(id_of(shared.get("a", read)), "gain");
      });
    EXPECT_TRUE(becomes_true([&] { return readings == 1 && readers == 8; }));
    answer.release(8);
  }
  EXPECT_EQ(readings, 1);
  EXPECT_EQ(id_of(shared.get("b", [] { return property("of b"); })), "of b");
}

TEST(SharedProperties, AreReadAgainAfterTheInterval) {
  SharedProperties shared(std::chrono::nanoseconds(0));
  for (const char* const id : {"first", "second"})
    EXPECT_EQ(id_of(shared.get("a", [&] { return property(id); })), id);
}

TEST(SharedProperties, AreReadAgainAfterAChange) {
  SharedProperties shared(std::chrono::hours(1));
  EXPECT_EQ(id_of(shared.get("a",
                             [&] {
                               shared.forget("a");  // while it is read
                               return property("before");
                             })),
            "before");
  EXPECT_EQ(id_of(shared.get("a", [] { return property("after"); })), "after");
  shared.forget("a");
  EXPECT_EQ(id_of(shared.get("a", [] { return property("last"); })), "last");
  EXPECT_EQ(id_of(shared.get("a", [] { return property("none"); })), "last");
}

TEST(SharedProperties, KeepErrorsToo) {
  SharedProperties shared(std::chrono::hours(1));
  EXPECT_FALSE(*shared.get("a", []() -> Outcome { return Error{ErrorKind::timed_out, "no answer"}; }));
  EXPECT_FALSE(*shared.get("a", [] { return property("now"); })) << "it hangs, and is not called";
  EXPECT_THROW(shared.get("b", []() -> Outcome { throw std::runtime_error("no memory"); }),
               std::runtime_error);
  EXPECT_EQ(id_of(shared.get("b", [] { return property("now"); })), "now");
}

}  // namespace
}  // namespace orbweaver::sca
