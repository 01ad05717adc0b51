#include "monitor/reader.h"

#include <gtest/gtest.h>

#include "monitor/testing/fake_source.h"
#include "platform/testing/becomes_true.h"

namespace orbweaver::monitor {
namespace {

using platform::Deadline;
using platform::testing::becomes_true;

constexpr std::int64_t kLong = 3600 * std::int64_t{1'000'000'000};

TEST(Reader, ReadsWhenAskedAndNotOtherwise) {
  testing::FakeSource source;
  Reader reader(source, kLong);
  EXPECT_EQ(source.reads(), 0u);
  const auto reading = reader.latest(Deadline::never());
  EXPECT_EQ(reading->version, 1u);
  EXPECT_EQ(reader.latest(Deadline::never()), reading) << "it is not old yet";
  EXPECT_EQ(source.reads(), 1u);
}

TEST(Reader, ReadsAgainIfTheLastReadingIsOld) {
  testing::FakeSource source;
  Reader reader(source, 1);
  const auto first = reader.latest(Deadline::never());
  const auto second = reader.latest(Deadline::never());
  EXPECT_GT(second->version, first->version);
  EXPECT_GT(second->started_ns, first->started_ns);
}

TEST(Reader, ReadsAsLongAsItIsWatched) {
  testing::FakeSource source;
  Reader reader(source, 1);
  std::uint64_t version = 0;
  {
    const Reader::Watch watch(reader);
    for (int i = 0; i < 5; ++i) version = reader.newer(version, Deadline::never())->version;
    EXPECT_EQ(reader.watches(), 1u);
  }
  EXPECT_EQ(reader.watches(), 0u);
  // A reading that had begun may end first. After it, each call of latest() causes exactly one.
  version = reader.latest(Deadline::never())->version;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(reader.latest(Deadline::never())->version, ++version);
}

TEST(Reader, RefreshMakesEarlierReadingsTooOld) {
  testing::FakeSource source;
  Reader reader(source, kLong);
  EXPECT_EQ(reader.latest(Deadline::never())->version, 1u);
  reader.refresh();
  EXPECT_EQ(reader.latest(Deadline::never())->version, 2u);
  EXPECT_EQ(source.reads(), 2u);
}

TEST(Reader, RefreshReadsAtOnceIfWatched) {
  testing::FakeSource source;
  Reader reader(source, kLong);
  const Reader::Watch watch(reader);
  EXPECT_EQ(reader.newer(0, Deadline::never())->version, 1u);
  reader.refresh();
  EXPECT_EQ(reader.newer(1, Deadline::never())->version, 2u);
}

TEST(Reader, PatchesLeadFromReadingToReading) {
  testing::FakeSource source;
  Reader reader(source, 1'000'000);
  const Reader::Watch watch(reader);
  auto before = reader.newer(0, Deadline::never());
  for (int i = 0; i < 20; ++i) {
    const auto next = reader.newer(before->version, Deadline::never());
    if (next->version == before->version + 1) {
      nlohmann::json patched = before->document;
      patched.merge_patch(nlohmann::json::parse(next->patch));
      EXPECT_EQ(patched, next->document);
    }
    before = next;
  }
}

/// A source whose reading fails.
class FailingSource : public testing::FakeSource {
 public:
  Snapshot read() override {
    if (fails) throw std::runtime_error("the test makes this reading fail");
    return FakeSource::read();
  }
  std::atomic<bool> fails = false;
};

TEST(Reader, KeepsTheDomainIfItCannotBeReadAndSaysSo) {
  FailingSource source;
  Reader reader(source, kLong);
  EXPECT_EQ(reader.latest(Deadline::never())->snapshot.problem, "");
  source.fails = true;
  reader.refresh();
  const auto reading = reader.latest(Deadline::never());
  EXPECT_NE(reading->snapshot.problem, "");
  EXPECT_EQ(reading->snapshot.components.size(), 9u);
  source.fails = false;
  reader.refresh();
  EXPECT_EQ(reader.latest(Deadline::never())->snapshot.problem, "");
}

TEST(Reader, StopWakesThoseWhoWait) {
  testing::FakeSource source;
  Reader reader(source, kLong);
  std::atomic<bool> ended = false;
  std::thread waiting([&] {
    EXPECT_EQ(reader.newer(1000, Deadline::never()), nullptr);
    ended = true;
  });
  reader.stop();
  EXPECT_TRUE(becomes_true([&] { return ended.load(); }));
  waiting.join();
}

}  // namespace
}  // namespace orbweaver::monitor
