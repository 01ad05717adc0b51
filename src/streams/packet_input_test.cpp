#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <vector>

#include <orbweaver/streams/packet_input.h>

#include "streams/testing/packet_input.h"

namespace orbweaver::streams {
namespace {

using testing::Input;
using testing::options;
using testing::push;
using testing::take_all;

TEST(PacketInput, TakesWhatWasPushed) {
  Input input(options());
  const std::vector<std::uint16_t> payload = {1, 2, 65535};
  ASSERT_EQ(input.push({true, 7, 255, false}, payload), PushResult::accepted);
  StreamPacket<std::uint16_t> packet;
  ASSERT_EQ(input.take(packet), TakeResult::taken);
  EXPECT_EQ(std::vector<std::uint16_t>(packet.payload.view().begin(), packet.payload.view().end()), payload);
  EXPECT_TRUE(packet.control.end_of_stream);
  EXPECT_EQ(packet.control.stream_id, 7);
  EXPECT_EQ(packet.control.sequence_number, 255);
  input.close();
  EXPECT_EQ(push(input), PushResult::closed);
  EXPECT_EQ(input.take(packet), TakeResult::end);
}

TEST(PacketInput, RejectsPayloadsLargerThanTheMaximum) {
  Input input(options());
  EXPECT_EQ(push(input, 1, 11), PushResult::too_large);
  EXPECT_EQ(push(input, 1, 0), PushResult::accepted);
  ASSERT_TRUE(input.payload().set_desired(5) && input.payload().set_max(5));
  EXPECT_EQ(push(input, 1, 6), PushResult::too_large);
  EXPECT_EQ(input.counts().too_large, 2u);
}

TEST(PacketInput, RejectsPayloadSizesThatDoNotFitIntoTheQueue) {
  EXPECT_THROW(Input({{4, 80}, {41, 0, 1}}), std::invalid_argument);
  EXPECT_NO_THROW(Input({{4, 80}, {40, 0, 1}}));
  EXPECT_THROW(Input({{4, 80}, {10, 0, 0}}), std::invalid_argument);
  Input input({{4, 80}, {10, 0, 1}});
  EXPECT_FALSE(input.payload().set_max(41));
}

TEST(PacketInput, RejectsResumeLevelsAboveTheLimitsAndNegativeTimes) {
  PacketInputOptions settings = options();
  settings.resume_packets = 5;
  EXPECT_THROW(Input{settings}, std::invalid_argument);
  settings.resume_packets = 4;
  settings.resume_bytes = 81;
  EXPECT_THROW(Input{settings}, std::invalid_argument);
  settings.resume_bytes = 80;
  EXPECT_NO_THROW(Input{settings});
  settings.push_timeout = std::chrono::milliseconds(-1);
  EXPECT_THROW(Input{settings}, std::invalid_argument);
}

TEST(PacketInput, ReportsItsLevel) {
  int high = 0, low = 0;
  PacketInputOptions settings = options();
  settings.watermarks.high_packets = 3;
  settings.watermarks.on_high = [&] { ++high; };
  settings.watermarks.on_low = [&] { ++low; };
  Input input(settings);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(push(input), PushResult::accepted);
  EXPECT_EQ(high, 1);
  take_all(input);
  EXPECT_EQ(low, 1);
}

TEST(PacketInput, ReportsAFullQueueByPolicy) {
  for (const WhenFull policy : {WhenFull::reject, WhenFull::block}) {
    PacketInputOptions settings = options(policy);
    settings.push_timeout = std::chrono::milliseconds(0);
    Input input(settings);
    for (int i = 0; i < 4; ++i) ASSERT_EQ(push(input), PushResult::accepted);
    EXPECT_EQ(push(input), policy == WhenFull::reject ? PushResult::queue_full : PushResult::timed_out);
    EXPECT_EQ(take_all(input).size(), 4u);
  }
  Input newest(options(WhenFull::drop_newest));
  for (int i = 0; i < 4; ++i) ASSERT_EQ(push(newest), PushResult::accepted);
  EXPECT_EQ(push(newest), PushResult::dropped);
}

TEST(PacketInput, DiscardsTheStreamsPacketsOnPurge) {
  Input input(options());
  ASSERT_EQ(push(input, 1), PushResult::accepted);
  ASSERT_EQ(push(input, 2), PushResult::accepted);
  ASSERT_EQ(push(input, 1), PushResult::accepted);
  ASSERT_EQ(push(input, 1, 3, true), PushResult::accepted);
  EXPECT_EQ(input.counts().discarded, 2u);
  EXPECT_EQ(take_all(input), (std::vector<std::uint16_t>{2, 1}));
}

TEST(PacketInput, KeepsItsPacketsOnPurgeOnceClosed) {
  Input input(options());
  ASSERT_EQ(push(input, 1), PushResult::accepted);
  input.close();
  EXPECT_EQ(push(input, 1, 3, true), PushResult::closed);
  EXPECT_EQ(take_all(input).size(), 1u);
}

}  // namespace
}  // namespace orbweaver::streams
