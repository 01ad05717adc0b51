#include "sca/deployment/registration_events.h"

#include <gtest/gtest.h>

#include <thread>

namespace orbweaver::sca {
namespace {

/// Fails by the time limit of the test.
constexpr std::chrono::hours kLong{1};

TEST(RegistrationEvents, WakeWhoeverWaits) {
  RegistrationEvents events;
  const std::uint64_t seen = events.count();
  std::jthread other([&] { events.notify(); });
  events.wait(seen, kLong);
  EXPECT_EQ(events.count(), seen + 1);
}

TEST(RegistrationEvents, AreNotLostBeforeTheWait) {
  RegistrationEvents events;
  const std::uint64_t seen = events.count();
  events.notify();
  events.wait(seen, kLong);
}

TEST(RegistrationEvents, EndTheWaitAtItsLimit) {
  const RegistrationEvents events;
  events.wait(0, std::chrono::milliseconds(1));
  EXPECT_EQ(events.count(), 0u);
}

}  // namespace
}  // namespace orbweaver::sca
