// Memory of reassembled datagrams.
#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "base/receive_budget.h"
#include "transport/udp/reassembly.h"

namespace orbtest {
namespace {

namespace transport = orbweaver::transport;
using orbweaver::Bytes;
using orbweaver::ReceiveBudget;
using transport::udp::Part;
using transport::udp::PartHeader;
using transport::udp::Reassembly;

TEST(DatagramReassembly, AllocatesOnlyForReceivedParts) {
  transport::udp::Counters counters;
  Reassembly frames(std::size_t{1} << 30, counters);
  const std::vector<std::uint8_t> bytes(16'384, 1);
  for (const std::uint16_t part : {std::uint16_t{60'000}, std::uint16_t{3}, std::uint16_t{0}}) {
    const auto taken = frames.take({PartHeader{1, part, 65'000, 65'000 * 16'384, 16'384}, bytes});
    ASSERT_TRUE(taken);
    EXPECT_TRUE(taken->empty());
  }
  EXPECT_LE(frames.storage_bytes(), std::size_t{128} << 10);
}

TEST(DatagramReassembly, ReleasesTheBudgetOfADroppedFrame) {
  const auto budget = std::make_shared<ReceiveBudget>(std::size_t{1} << 20);
  ReceiveBudget::Share share(
      budget, [](const std::string&) {}, ReceiveBudget::Timed::no);
  transport::udp::Counters counters;
  Reassembly frames(std::size_t{1} << 20, counters, &share);
  alignas(8) static const std::uint8_t bytes[16'384] = {};
  ASSERT_TRUE(frames.take({PartHeader{1, 0, 20, 20 * 16'384, 16'384}, bytes}));
  EXPECT_GT(budget->bytes(), 0u);
  const auto small = frames.take({PartHeader{2, 0, 1, 64, 64}, Bytes(bytes, 64)});
  ASSERT_TRUE(small);
  EXPECT_EQ(small->size(), 64u);
  EXPECT_EQ(budget->bytes(), 0u);
}

TEST(DatagramReassembly, ReassemblesPartsInAnyOrder) {
  transport::udp::Counters counters;
  Reassembly frames(std::size_t{1} << 20, counters);
  std::vector<std::uint8_t> whole(10'500);
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<std::uint8_t>(i * 7 / 5);
  for (std::uint32_t frame = 1; frame < 4; ++frame) {
    for (std::uint16_t i = 0; i < 11; ++i) {
      const auto part = static_cast<std::uint16_t>(frame == 2 ? i : (i * 7 + frame) % 11);
      const auto bytes = Bytes(whole).subspan(part * 1000u, part == 10 ? 500 : 1000);
      const auto taken = frames.take({PartHeader{frame, part, 11, 10'500, 1000}, bytes});
      ASSERT_TRUE(taken);
      if (i < 10) {
        EXPECT_TRUE(taken->empty());
      } else {
        EXPECT_TRUE(std::equal(taken->begin(), taken->end(), whole.begin(), whole.end()));
      }
    }
    frames.release();
  }
}

}  // namespace
}  // namespace orbtest
