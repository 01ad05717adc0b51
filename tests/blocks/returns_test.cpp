// The return of blocks on demand: notifications of returns, and what forwarders are asked for.
#include <gtest/gtest.h>
#include <orbweaver/loan.h>
#include <unistd.h>

#include <atomic>
#include <deque>
#include <optional>
#include <thread>

#include "platform/testing/waiting_thread.h"
#include "raw_ends.h"
#include "transport/blocks/pool.h"

namespace blocktest {
namespace {

using platform::testing::WaitingThread;

constexpr std::size_t kPool = std::size_t{8} << 20;
/// Sets the pool's size before any test makes the first loan.
[[maybe_unused]] const bool pool_is_small = [] {
  blocks::set_pool_bytes(kPool);
  return true;
}();

TEST(ReturnNotification, IsSentOnceWhenRequested) {
  FalseExporter first;
  first.announces();
  blocks::RegionWords& words = first.region_words();
  const auto is_notified_of = [&](std::uint64_t grant) {
    EXPECT_NE(first.importer.import_block({0, grant, 0, 4096, 0}, 4096, 8), nullptr);
    EXPECT_EQ(words.held[grant], 1u);
    first.importer.release();
    EXPECT_EQ(words.held[grant], 0u);
    const bool notified = is_signalled(first.events.returned);
    platform::clear_peer_event(first.events.returned);
    return notified;
  };
  EXPECT_FALSE(is_notified_of(0));
  words.notify_on_return = 1;
  EXPECT_TRUE(is_notified_of(1));
  EXPECT_EQ(words.notify_on_return, 0u);
  EXPECT_FALSE(is_notified_of(2));
}

TEST(ReturnNotification, IsRequestedForAGrantMadeWhileAThreadWaitsForABlock) {
  FalseImporter earlier, importer;
  {
    auto whole = orbweaver::loan<std::uint8_t>(kPool);
    EXPECT_TRUE(earlier.is_given(whole.data(), 4096));
    WaitingThread waiting([] { orbweaver::loan<std::uint8_t>(4096); });
    // The thread has asked all regions that exist, and waits.
    EXPECT_TRUE(becomes_true([&] { return earlier.words().notify_on_return == 1; }));
    EXPECT_TRUE(importer.is_given(whole.data(), 4096));
    EXPECT_EQ(importer.words().notify_on_return, 1u);
    { const auto ended = std::move(whole); }
    earlier.words().imported = 1;  // and returned
    earlier.notify();
    EXPECT_TRUE(waiting.waits());
    importer.words().imported = 1;
    importer.notify();
  }
  EXPECT_EQ(blocks::pool_used(), 0u);
}

TEST(ReturnNotification, IsHandledIfTheImporterHasEnded) {
  auto whole = orbweaver::loan<std::uint8_t>(kPool);
  FalseImporter importer;
  ASSERT_TRUE(importer.is_given(whole.data(), 4096));
  { const auto ended = std::move(whole); }
  WaitingThread waiting([] { orbweaver::loan<std::uint8_t>(4096); });
  EXPECT_TRUE(becomes_true([&] { return importer.words().notify_on_return == 1; }));
  {
    // The watch's thread is in another callback until the importer has ended. A later holder has a copy of
    // the liveness descriptor, so that there is no hang-up.
    std::atomic<bool> in_callback{false}, may_return{false};
    auto ends = platform::make_socket_pair();
    const platform::HangupWatch watch(ends.first, [&] {
      in_callback = true;
      may_return.wait(false);
    });
    ends.second = {};
    EXPECT_TRUE(becomes_true([&] { return in_callback.load(); }));
    importer.words().imported = 1;  // and returned
    importer.notify();
    importer.close_events();
    may_return = true;
    may_return.notify_all();
  }
}

/// A block of a raw exporter, forwarded by the library to a raw importer.
class ForwardedBlock : public ::testing::Test {
 protected:
  void SetUp() override {
    first.announces();
    EXPECT_TRUE(forward());
    EXPECT_FALSE(is_returned_to_first());
  }
  /// Imports the next block, and forwards it. False if it was not forwarded.
  bool forward() {
    const std::uint64_t offset = grants % 4 * 4096;
    const void* const block = first.importer.import_block({0, grants, offset, 4096, 0}, 4096, 8);
    EXPECT_NE(block, nullptr);
    const bool forwarded = last.is_given(block, 4096);
    ++grants;
    first.importer.release();
    return forwarded;
  }
  /// The raw importer returns all grants that were made to it.
  void return_all() {
    blocks::RegionWords& words = last.words();
    words.imported = grants;
    if (words.notify_on_return.exchange(0) != 0) last.notify();
  }
  bool is_returned_to_first() { return first.region_words().held[(grants - 1) % blocks::kMaxGrants] == 0; }

  FalseExporter first;
  FalseImporter last;
  std::uint64_t grants = 0;
};

TEST_F(ForwardedBlock, IsReturnedWithTheNextGrantWithoutADemand) {
  EXPECT_EQ(last.words().notify_on_return, 0u);
  EXPECT_EQ(last.words().returns_wanted, 0u);
  return_all();
  wait_for_earlier_hang_ups();
  EXPECT_FALSE(is_returned_to_first());
  EXPECT_TRUE(forward());
  EXPECT_EQ(first.region_words().held[0], 0u);
}

TEST_F(ForwardedBlock, IsReturnedAtOnceIfItsReturnIsWanted) {
  first.wants_returns(true);
  EXPECT_TRUE(becomes_true([&] { return last.words().notify_on_return == 1; }));
  EXPECT_EQ(last.words().returns_wanted, 1u) << "the next forwarder, too";
  EXPECT_TRUE(becomes_true([&] { return last.is_told(); }));
  return_all();
  EXPECT_TRUE(becomes_true([&] { return is_returned_to_first(); }));
}

TEST_F(ForwardedBlock, IsReturnedIfThatWasDoneBeforeItWasWanted) {
  return_all();
  first.wants_returns(true);
  EXPECT_TRUE(becomes_true([&] { return is_returned_to_first(); }));
}

TEST_F(ForwardedBlock, IsReturnedAtOnceIfItWasForwardedWhileReturnsAreWanted) {
  first.region_words().returns_wanted = 1;  // the event has not arrived
  EXPECT_TRUE(forward());
  EXPECT_EQ(last.words().notify_on_return, 1u);
  return_all();
  EXPECT_TRUE(becomes_true([&] { return is_returned_to_first(); }));
}

TEST_F(ForwardedBlock, KeepsAskingUntilTheLastIsReturned) {
  EXPECT_TRUE(forward());
  first.wants_returns(true);
  EXPECT_TRUE(becomes_true([&] { return last.words().notify_on_return == 1; }));
  last.words().notify_on_return = 0;
  last.words().held[1] = 1;
  last.words().imported = 2;  // the first is returned
  last.notify();
  EXPECT_TRUE(becomes_true([&] { return last.words().notify_on_return == 1; }));
  EXPECT_EQ(first.region_words().held[0], 0u);
  EXPECT_FALSE(is_returned_to_first());
  last.words().held[1] = 0;
  return_all();
  EXPECT_TRUE(becomes_true([&] { return is_returned_to_first(); }));
}

TEST_F(ForwardedBlock, IsNotAskedForSomeTimeAfterTheLastDemand) {
  first.wants_returns(true);
  EXPECT_TRUE(becomes_true([&] { return last.words().notify_on_return == 1; }));
  first.wants_returns(false);
  return_all();
  for (std::size_t i = 0; i < blocks::kMaxGrants; ++i) {
    EXPECT_EQ(last.words().returns_wanted, 1u) << i;
    EXPECT_EQ(last.words().notify_on_return, 0u) << i;
    EXPECT_TRUE(forward());
    return_all();
  }
  EXPECT_EQ(last.words().returns_wanted, 0u);
}

TEST_F(ForwardedBlock, IsReturnedAtOnceIfHalfOfTheGrantsAreInUse) {
  while (grants < blocks::kMaxGrants / 2) {
    EXPECT_EQ(last.words().returns_wanted, 0u) << grants;
    EXPECT_TRUE(forward());
  }
  EXPECT_TRUE(forward());
  EXPECT_EQ(last.words().returns_wanted, 1u);
  EXPECT_EQ(last.words().notify_on_return, 0u) << "the next grant finds the returned blocks";
}

TEST_F(ForwardedBlock, IsAskedForWhenTheRegionHasEnded) {
  first.announces_end();
  EXPECT_TRUE(becomes_true([&] { return last.words().notify_on_return == 1; }));
  EXPECT_EQ(last.words().returns_wanted, 1u);
  EXPECT_EQ(last.words().ended, 0u) << "a block is in use";
  return_all();
  EXPECT_TRUE(becomes_true([&] { return last.words().ended == 1; }));
}

TEST_F(ForwardedBlock, IsAskedForAtTheEndOfTheConnection) {
  auto importer = std::make_unique<blocks::BlockImporter>(first.sockets.second);
  FalseImporter further;
  first.page = std::move(platform::make_memory_file("test", platform::page_bytes()).fd);
  first.words = first.page.get();
  first.announces();
  const void* const block = importer->import_block({0, 0, 0, 4096, 0}, 4096, 8);
  ASSERT_NE(block, nullptr);
  ASSERT_TRUE(further.is_given(block, 4096));
  importer.reset();
  EXPECT_EQ(further.words().notify_on_return, 1u);
  further.words().imported = 1;  // and returned
  further.notify();
  EXPECT_TRUE(becomes_true([&] { return further.words().ended == 1; }));
}

TEST(Demand, BeginsWhenHalfOfThePoolIsInUse) {
  const auto half = orbweaver::loan<std::uint8_t>(kPool / 2);
  FalseImporter importer;
  EXPECT_TRUE(importer.is_given(half.view().data(), 4096));
  EXPECT_EQ(importer.words().returns_wanted, 0u);
  const auto more = orbweaver::loan<std::uint8_t>(4096);
  EXPECT_TRUE(importer.is_given(half.view().data(), 4096));
  EXPECT_EQ(importer.words().returns_wanted, 1u);
  EXPECT_EQ(importer.words().notify_on_return, 0u);
}

/// A chain of processes, all of them this one: each imports a block and exports it to the next.
TEST(Demand, WakesALoanThroughAChain) {
  std::deque<Ends> chain(8);
  for (int round = 0; round < 20; ++round) {
    {
      const auto whole = orbweaver::loan<std::uint8_t>(kPool);
      const void* seen = whole.view().data();
      BlockDescription d;
      for (std::size_t i = 0; i < chain.size(); ++i) {
        ASSERT_TRUE(chain[i].exporter.export_block(seen, 4096, d)) << i;
        chain[i].exporter.sent();
        ASSERT_NE(seen = chain[i].importer.import_block(d, 4096, 8), nullptr) << i;
      }
    }
    WaitingThread waiting([] { orbweaver::loan<std::uint8_t>(4096); });
    if (round % 2 != 0) {
      EXPECT_TRUE(waiting.waits());
    }
    for (Ends& ends : chain) ends.importer.release();
  }
}

}  // namespace
}  // namespace blocktest
