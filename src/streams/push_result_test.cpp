#include <gtest/gtest.h>

#include <orbweaver/exception.h>
#include <orbweaver/streams/push_result.h>

#include "orb/minor_codes.h"

namespace orbweaver::streams {
namespace {

/// Expects that raise_if_rejected raises this exception.
template <class Exception>
void expect_raised(PushResult result, std::uint32_t minor_code) {
  try {
    raise_if_rejected(result);
    ADD_FAILURE() << "no exception for result " << static_cast<int>(result);
  } catch (const Exception& e) {
    EXPECT_EQ(e.minor(), minor_code);
    EXPECT_EQ(e.completed(), CORBA::CompletionStatus::COMPLETED_NO);
  }
}

TEST(PushResult, RaisesNothingForAcceptedAndDroppedPackets) {
  EXPECT_NO_THROW(raise_if_rejected(PushResult::accepted));
  EXPECT_NO_THROW(raise_if_rejected(PushResult::dropped));
}

TEST(PushResult, RaisesTransientForWantOfSpaceOrAClosedQueue) {
  expect_raised<CORBA::TRANSIENT>(PushResult::queue_full, minor::kQueueFull);
  expect_raised<CORBA::TRANSIENT>(PushResult::timed_out, minor::kQueueFull);
  expect_raised<CORBA::TRANSIENT>(PushResult::interrupted, minor::kQueueFull);
  expect_raised<CORBA::TRANSIENT>(PushResult::closed, minor::kStreamClosed);
}

TEST(PushResult, RaisesImpLimitForPacketsThatNeverFit) {
  expect_raised<CORBA::IMP_LIMIT>(PushResult::too_large, minor::kPacketTooLarge);
}

}  // namespace
}  // namespace orbweaver::streams
